/**
 * Keys for a local chain and database. They are public knowledge, so production refuses to start with them.
 *
 * The EVM keys are those of the well-known mnemonic `test test test test test test test test test test test junk`,
 * which the local node unlocks and funds.
 */
export const development = {
  /** Accounts 0 and 1. */
  RELAYER_PRIVATE_KEYS: [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  ].join(","),
  /** Account 4. */
  OPERATOR_PRIVATE_KEY: "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
  /** Account 5. */
  SPENDER_PRIVATE_KEY: "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
  /** Account 6. */
  TREASURY_ADDRESS: "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
  TREASURY_PRIVATE_KEY: "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
  /** Account 7. */
  SETTLEMENT_ADDRESS: "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
  SETTLEMENT_PRIVATE_KEY: "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
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
  WEBHOOK_SIGNING_KEYS: JSON.stringify({
    keys: [
      {
        kid: "development",
        kty: "OKP",
        crv: "Ed25519",
        x: "0JCzmb942T0pjq7wfcnRCvAsjYSsX4WRkUZOjYkKz5k",
        d: "ylTCJXAQGI2gm-nBk31y3same0sUB-29p-oxIdpngT8",
      },
    ],
  }),
  SECRETS_KEYS: "ZGV2ZWxvcG1lbnQga2V5LCBub3QgYSBzZWNyZXQgMSE=",
  OPERATOR_API_KEY: "development-operator-key",
  CODE_PEPPER: "development pepper without secret",
  KYC_APP_TOKEN: "sandbox-app-token",
  KYC_APP_SECRET: "sandbox-app-secret",
  KYC_CALLBACK_SECRET: "sandbox-callback-secret",
  EMONEY_CLIENT_ID: "sandbox-emoney-client",
  EMONEY_CLIENT_SECRET: "sandbox-emoney-secret",
  EMONEY_CALLBACK_SECRET: "whsec_c2FuZGJveC1lbW9uZXktY2FsbGJhY2stc2VjcmV0",
  CARD_ISSUER_API_KEY: "sk_test_sandbox",
  CARD_ISSUER_CALLBACK_SECRETS: "whsec_sandbox",
  /** The sandbox holds the private half. */
  CARD_ISSUER_PIN_KEY: [
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvWqfCI5ZaApzxJNgs5mwsinPilbVtJIMQQ5GZrTR7TvLrqrklD9clKP3",
    "hA9V/xfVF1+gZGAz5UFyfCGBfQBfOX3eSKMScEsAcY3smczYlRE+n5+MLx5LewTNARW07TrtWFknYYn4DYXiHrBT2xEjYjlHn7ua",
    "4/lUDKShCITtVdoDwj8s46cdUqAU3MC6maYzPov3+9LftdvdTfzy+sJwIXi+i9mpY0K/EsBbNw1CZGhJFtn3IrALWQ7TRizzka0x",
    "7WrDVc38kNgOd5AjmrV4OL1t9RwmHJeiN29EeIaqgCl7sNZMNgvueHfmLqsS5rXymkzPQBMT0qlWTPMBQhBHsQIDAQAB",
  ].join(""),
  CARD_ENCRYPTION_KEY: [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC5pC0B/O4ctj5QrhAmZ1a02T+SyEc3iGGNELgNGFv7YRz/wAt0",
    "mvtYoAJn8AElSnTd6YsAI2AhsAaDddAxeR9FYUiEJ7zxjeNmnN/3eTC0DeED76zdBPZhpHos1lls+UllCdUqqczwXFDW3pLgICIE",
    "Rl8fR08fHC36HDNDeaa0SsP8F+ch7jQtBFTLq/cKPhuDf1fq6lzFdMgCdsX1rYgiNdSJYvufcdbcvk7QsYLc6i1/seai1ML71b4s",
    "XOZXWq3WuWvSUDAa/zERLh7BurTX1ZUTCuRbkOX/Cyq9WqDY7a/9YCp9AszHhDzyD6SAhZQ/AetA5V0dH0vI9+ht8/itAgMBAAEC",
    "gf9hK45jfAEnBj2X/YR2laDNCOo96pdcegaV0CqGsDl1W1/SfrOAVZ86xIZ94SK4YkDJ53Tanamz+G9wYDqZqsyzhDhw9FvyFFLz",
    "YynYX5ceqCUf6lSRXAebFHze+1PTtqi0OnFZ44diSPAHiHlY13j2w98GgEzp+9YVFK3Ao+yecZ+FidSvFqtVSM32EtjXj7VtnDTF",
    "mqm8gpD8rNvY6eTXlukUfUo8RVS1V+XMeIJ763TM4MBgvw7YEzdla/yUStDUbxo3Ob6WmUKtvxieTzCrRaKM7UNRaPblLRFM+iqM",
    "lX33cjly/EKhv0pe8W8RKWDQITjxKith9eckyKMUSMECgYEA51ByYRwTLaTQH3K92VAKBLXblrm6riIGGiEOKb7OEfawZmeDi3ls",
    "86AEUxPJuWSWOQk2fadTP6Lg08wSgxQH7gVdVJ4wWts3eDvlIKje0XaF/x2RNdR4uVp0mzdhRrZCOuhmg4iC/3d51JkRxNc9W1j6",
    "q3/GAkA49n7XBIQjiIUCgYEAzXPvW5F46vrrWS04/WkvN00Hy+zFxtLc6CeiN99tVD+c1ARzvwCmMZr19bwznZ23aYjyttJvfH0A",
    "Q0RTNWj/2Gug/wl3yiRg2MfmFFNO4YLQ6luQ9qgyYY1k9cbX+4SUdAe4VQF4tx5ay3cc0Fu5/6IxNhCfJFMZXqSEpwpxPAkCgYEA",
    "tr6XnqDPhf/vbOj5k/Xn9FC4axvQoEHBEGONDO3xX7/FHSIqisYjjVWeFQRNGmqdQ/JDWoIXAu9rL+jJt0Tb/u++DFvtV9pYuGSZ",
    "YHQJlPJOan6xehWiSs1r0jSuZW8YY/G3C7ONysZZOdy0bQ6fKsvhPhx0EtMqLZOHy8mZSQECgYEApJbaDAtQST7Wx8wYubpIHw9Q",
    "zadTEeLfIgSOSiBtn26OnrMqXruQaHDx1fj9iKlOw/b4KkoPEjW5vinAVytUuvYONgJJuuDFzSTnRyUuLi70WqscSN2Z7titJtAz",
    "OsWNgB6nJ0JUiK6Cojk8FhdFvGsc7WkHdLw1uMInmwIckLECgYEAmXfEuaeF3GMOrkgyN7+YgrBZRJdZGai3UBZW24xDfdL6RZhC",
    "4lSAnXN4k81jew6wQk69aOs68JKsiVOXOYpoVpw4pFDFCVUEprTr0NLLpeh9O7xMMfJfL78ydK2TaBy5xLRkQq1lqHyEfk8K5zwR",
    "NL8IQKyRWYdW/Vtkf4MMW0A=",
  ].join(""),
} as const;
