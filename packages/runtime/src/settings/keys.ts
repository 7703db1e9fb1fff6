/** The keys of the service: for tokens, deliveries, secrets and chain transactions. */
import { secretsKeys } from "./secretsKeys.ts";
import { keySet, privateKey, privateKeys, signingKeySet, type Values } from "./types.ts";

export const keyEnvironment = {
  ACCESS_TOKEN_KEYS: keySet.describe("JWKS of private P-256 keys; the first signs, all verify"),
  WEBHOOK_SIGNING_KEYS: signingKeySet.describe(
    "JWKS of private Ed25519 keys that sign deliveries. " +
      "All are published; where only one signature is possible, the first signs",
  ),
  SECRETS_KEYS: secretsKeys.describe(
    "Keys that seal partners' secrets and e-money tokens in the database: 32 bytes in base64 each, comma separated, " +
      "or a JWKS of oct keys. The first seals; all unseal",
  ),
  RELAYER_PRIVATE_KEYS: privateKeys.describe("Keys that pay for chain transactions, comma separated"),
  OPERATOR_PRIVATE_KEY: privateKey.describe("Owner of a Safe during its set-up transaction"),
  SPENDER_PRIVATE_KEY: privateKey.describe("Member of the spending role"),
};

/** The keys as the parts take them. */
export const readKeys = (e: Values<typeof keyEnvironment>) => ({
  accessTokenKeys: e.ACCESS_TOKEN_KEYS.keys,
  webhookSigningKeys: e.WEBHOOK_SIGNING_KEYS.keys,
  secretsKeys: e.SECRETS_KEYS,
  relayerPrivateKeys: e.RELAYER_PRIVATE_KEYS,
  operatorPrivateKey: e.OPERATOR_PRIVATE_KEY,
  spenderPrivateKey: e.SPENDER_PRIVATE_KEY,
});
