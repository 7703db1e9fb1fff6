/**
 * Keys for a chain and a database on one's own machine, known to everyone; production refuses to start with them.
 *
 * The EVM keys are those of the well-known mnemonic `test test test test test test test test test test test junk`, which
 * the local node unlocks and funds.
 */
export const development = {
  /** Accounts 0 and 1. */
  RELAYER_PRIVATE_KEYS:
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80,0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  /** Account 4. */
  OPERATOR_PRIVATE_KEY: "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
  /** Account 5. */
  SPENDER_PRIVATE_KEY: "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
  /** Account 6. */
  TREASURY_ADDRESS: "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
  /** Account 7. */
  SETTLEMENT_ADDRESS: "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
  FREE_COUPON_CODE: "FREECARD",
  ACCESS_TOKEN_KEYS: JSON.stringify({
    keys: [
      {
        kid: "development",
        kty: "EC",
        crv: "P-256",
        x: "PfNZVF4Y5Tu2NqwZENTE0vaHqKbfDjL75jC4OJLS44M",
        y: "qKiaMOwONU089HAtp8I6bYjBC1bWMzEXj3zHXTX3OAs",
        d: "xwCjuxQzkIDGG_27sRnxS7B2GUxOAAfsKiyYtdrotsY",
      },
    ],
  }),
  CODE_PEPPER: "development pepper, not a secret",
  KYC_APP_TOKEN: "sandbox-app-token",
  KYC_APP_SECRET: "sandbox-app-secret",
  KYC_CALLBACK_SECRET: "sandbox-callback-secret",
} as const;
