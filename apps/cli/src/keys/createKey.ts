/** New keys for the settings, as their text. */
import { nameSealingKey } from "@cardkeep/runtime/settings/secretsKeys";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { z } from "zod";

/** Bytes of a secret that is no key pair. */
const secretBytes = 32;
/** Characters of a thumbprint that name a key (RFC 7638). */
const idCharacters = 12;
const rsaBits = 3_072;
const named = z.object({ kid: z.string() });

const randomText = (): string => randomBytes(secretBytes).toString("base64url");
const randomBase64 = (): string => randomBytes(secretBytes).toString("base64");
const privateKey = (): string => `0x${randomBytes(secretBytes).toString("hex")}`;

/** A private JWK whose `kid` is the start of its thumbprint. */
function nameJwk(key: JsonWebKey): string {
  const { crv, kty, x, y } = key;
  const members = y === undefined ? { crv, kty, x } : { crv, kty, x, y };
  const thumbprint = createHash("sha256").update(JSON.stringify(members)).digest("base64url");
  return JSON.stringify({ kid: thumbprint.slice(0, idCharacters), ...key });
}

const makers = {
  ACCESS_TOKEN_KEYS: () =>
    nameJwk(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })),
  WEBHOOK_SIGNING_KEYS: () => nameJwk(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })),
  SECRETS_KEYS: randomBase64,
  CODE_PEPPER: randomText,
  OPERATOR_API_KEY: randomText,
  KYC_CALLBACK_SECRET: randomText,
  EMONEY_CALLBACK_SECRET: () => `whsec_${randomBase64()}`,
  CARD_ENCRYPTION_KEY: () =>
    generateKeyPairSync("rsa", { modulusLength: rsaBits })
      .privateKey.export({ format: "der", type: "pkcs8" })
      .toString("base64"),
  RELAYER_PRIVATE_KEYS: privateKey,
  OPERATOR_PRIVATE_KEY: privateKey,
  SPENDER_PRIVATE_KEY: privateKey,
} as const;

/** A setting whose secrets this program makes. */
export type CreatedSetting = keyof typeof makers;

/** Whether this program makes the secrets of a setting; others come from partners. */
export const isCreated = (setting: string): setting is CreatedSetting => Object.hasOwn(makers, setting);

/** Makes one new key of a setting. Its id begins with no `-`, which a command line takes for a flag. */
export function createKey(setting: CreatedSetting): string {
  const text = makers[setting]();
  return nameIdOf(setting, text).startsWith("-") ? createKey(setting) : text;
}

/** The id that the text itself gives a key; empty for settings whose ids are digests in hexadecimal digits. */
function nameIdOf(setting: CreatedSetting, text: string): string {
  if (setting === "SECRETS_KEYS") return nameSealingKey(text).kid;
  return text.startsWith("{") ? named.parse(JSON.parse(text)).kid : "";
}
