/**
 * Signatures of deliveries, in both families.
 *
 * - own: `X-Webhook-Signature`, Ed25519 over `<timestamp>.<body>`.
 * - Standard Webhooks: `webhook-signature`, over `<id>.<timestamp>.<body>`: `v1a` Ed25519, `v1` HMAC-SHA256.
 */
import { version } from "@cardkeep/contract/version";
import { createHmac, createPublicKey, type JsonWebKey, createPrivateKey, type KeyObject, sign } from "node:crypto";

export interface WebhookPublicKey {
  kty: "OKP";
  crv: "Ed25519";
  use: "sig";
  alg: "EdDSA";
  kid: string;
  x: string;
}

/** Keys that sign deliveries: the first signs `X-Webhook-Signature`, every one of them a `v1a`. */
export interface WebhookKeys {
  readonly publicKeys: readonly WebhookPublicKey[];
  /** The first key in PEM. */
  readonly publicKeyPem: string;
  /** Headers of one attempt; `timestamp` in unix seconds by the wall clock, `secrets` as `whsec_` and base64. */
  buildHeaders(input: {
    id: string;
    sequence: bigint;
    timestamp: number;
    body: string;
    secrets: readonly string[];
  }): Record<string, string>;
}

export const secretPrefix = "whsec_";

type KeyWithId = JsonWebKey & { kid: string };

/**
 * Keys from private Ed25519 JWKs with a `kid` each. A process that does not sign has their public halves instead.
 * @throws Error without keys; later at a signature without private keys
 */
export function createWebhookKeys(jwks: readonly KeyWithId[], publicJwks: readonly KeyWithId[] = []): WebhookKeys {
  const keys = jwks.map((jwk) => {
    const key: KeyObject = createPrivateKey({ key: jwk, format: "jwk" });
    return { kid: jwk.kid, key, publicKey: createPublicKey(key) };
  });
  const published = publicJwks.map((jwk) => ({
    kid: jwk.kid,
    publicKey: createPublicKey({ key: jwk, format: "jwk" }),
  }));
  const known = keys.length > 0 ? keys : published;
  const [first] = keys;
  const [firstKnown] = known;
  if (!firstKnown) throw new Error("No signing key is set");
  return {
    publicKeys: known.map(({ kid, publicKey }) => ({
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      alg: "EdDSA",
      kid,
      x: publicKey.export({ format: "jwk" }).x ?? "",
    })),
    publicKeyPem: firstKnown.publicKey.export({ format: "pem", type: "spki" }).toString(),
    buildHeaders: ({ id, sequence, timestamp, body, secrets }) => {
      if (!first) throw new Error("This process has no WEBHOOK_SIGNING_KEYS");
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const asymmetric = keys.map(({ key }) => `v1a,${sign(null, content, key).toString("base64")}`);
      const symmetric = secrets.map((secret) => {
        const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
        return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
      });
      return {
        "Content-Type": "application/json",
        "User-Agent": `Cardkeep-Webhooks/${version}`,
        "X-Webhook-Timestamp": String(timestamp),
        "X-Webhook-Signature": sign(null, Buffer.from(`${timestamp}.${body}`), first.key).toString("base64"),
        "X-Webhook-Key-Id": first.kid,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": [...symmetric, ...asymmetric].join(" "),
        "webhook-sequence": String(sequence),
      };
    },
  };
}
