/** Keys for secrets at rest, read from a comma list or a JWKS. */
import type { SecretsKey } from "@cardkeep/domain/core/secrets/secrets";
import { createHash } from "node:crypto";
import { z } from "zod";

const keyBytes = 32;
const idCharacters = 12;

const key = z.string().refine((text) => /^[A-Za-z0-9+/_-]+=?$/.test(text) && bytesOf(text).length === keyBytes, {
  error: `must be ${keyBytes} bytes in base64`,
});
const jwk = z.looseObject({ kid: z.string().min(1).max(128), kty: z.literal("oct"), k: key });
const keySet = z.object({ keys: z.array(jwk) });
const keyList = z.array(key);

const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");

/** A key with its name: the start of its thumbprint (RFC 7638), which reveals nothing about the key. */
export function nameSealingKey(text: string): SecretsKey {
  const k = bytesOf(text).toString("base64url");
  const thumbprint = createHash("sha256")
    .update(JSON.stringify({ k, kty: "oct" }))
    .digest("base64url");
  return { kid: thumbprint.slice(0, idCharacters), k };
}

/** At least one key; the first seals. No kid and no key may occur twice. */
export const secretsKeys = z.string().transform((text, context): SecretsKey[] => {
  const read = text.trimStart().startsWith("{") ? readKeySet(text) : readList(text);
  const keys = read ?? [];
  const isDistinct = [keys.map(({ kid }) => kid), keys.map(({ k }) => k)].every(
    (values) => new Set(values).size === keys.length,
  );
  if (keys.length > 0 && isDistinct) return keys;
  const message = isDistinct
    ? `must be keys of ${keyBytes} bytes in base64, or a JWKS of such oct keys`
    : "must not name a key twice";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

function readList(text: string): SecretsKey[] | null {
  const items = text.split(",").map((item) => item.trim());
  const parsed = keyList.safeParse(items);
  return parsed.success ? parsed.data.map(nameSealingKey) : null;
}

function readKeySet(text: string): SecretsKey[] | null {
  try {
    return keySet.parse(JSON.parse(text)).keys.map(({ kid, k }) => ({ kid, k: bytesOf(k).toString("base64url") }));
  } catch {
    return null;
  }
}
