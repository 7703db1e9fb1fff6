/** Secrets as they are kept: AES-256-GCM, bound to the user or partner whose they are, so that no row helps another. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Rules } from "./context.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

const keyOf = ({ emoney }: Rules): Buffer => Buffer.from(emoney.tokenKey, "base64");

/** Encrypts a secret. */
export function seal(rules: Rules, ownerId: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(rules), nonce).setAAD(Buffer.from(ownerId));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** A secret in clear; null when it was sealed with another key, or for somebody else. */
export function unseal(rules: Rules, ownerId: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  const nonce = bytes.subarray(0, nonceBytes);
  try {
    const decipher = createDecipheriv(algorithm, keyOf(rules), nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(ownerId))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}
