/** The keys in the text of a setting, each with its name. */
import type { RuledSetting } from "@cardkeep/domain/operations/keys/keyRules";
import { parsePrivateKey } from "@cardkeep/runtime/settings/rsaKeys";
import { nameSealingKey } from "@cardkeep/runtime/settings/secretsKeys";
import { nameKeyPair, nameSecret } from "@cardkeep/runtime/settingKeys";
import { z } from "zod";
import { CommandError } from "../errors.ts";

export interface ListedKey {
  readonly keyId: string;
  readonly text: string;
}

const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });

const isKeySet = (text: string): boolean => text.trimStart().startsWith("{");

/** The keys of a setting in order, from its text. */
export function splitKeys(setting: RuledSetting, text: string): ListedKey[] {
  if (isKeySet(text)) {
    return keySet.parse(JSON.parse(text)).keys.map((key) => ({ keyId: key.kid, text: JSON.stringify(key) }));
  }
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => ({ keyId: nameKey(setting, item), text: item }));
}

/** The text of a setting with these keys, in the form of `before`. */
export function joinKeys(setting: RuledSetting, keys: readonly ListedKey[], before: string): string {
  const isSet = setting === "ACCESS_TOKEN_KEYS" || setting === "WEBHOOK_SIGNING_KEYS" || isKeySet(before);
  if (!isSet) return keys.map(({ text }) => text).join(",");
  const jwks: unknown[] = keys.map(({ keyId, text }) =>
    text.startsWith("{") ? JSON.parse(text) : { kid: keyId, kty: "oct", k: text },
  );
  return JSON.stringify({ keys: jwks });
}

/** The value of `WEBHOOK_PUBLIC_KEYS` for the text of `WEBHOOK_SIGNING_KEYS`. */
export const listPublicKeys = (text: string): string =>
  JSON.stringify({ keys: keySet.parse(JSON.parse(text)).keys.map(({ d: _, ...key }) => key) });

/** The name of one key. */
export function nameKey(setting: RuledSetting, text: string): string {
  if (text.startsWith("{")) return z.object({ kid: z.string() }).parse(JSON.parse(text)).kid;
  if (setting === "SECRETS_KEYS") return nameSealingKey(text).kid;
  if (setting !== "CARD_ENCRYPTION_KEY") return nameSecret(setting, text);
  const key = parsePrivateKey(text);
  if (key === null) throw new CommandError(`${setting} holds a key that cannot be read`);
  return nameKeyPair(setting, key);
}
