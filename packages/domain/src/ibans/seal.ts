/** Secrets of a consent as they are kept: AES-256-GCM, bound to the user, so that no row helps another. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Rules } from "../context.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

const keyOf = ({ emoney }: Rules): Buffer => Buffer.from(emoney.tokenKey, "base64");

/** Encrypts a secret of a user. */
export function seal(rules: Rules, userId: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(rules), nonce).setAAD(Buffer.from(userId));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** A secret of a user in clear; null when it was sealed with another key, or for another user. */
export function unseal(rules: Rules, userId: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  const nonce = bytes.subarray(0, nonceBytes);
  try {
    const decipher = createDecipheriv(algorithm, keyOf(rules), nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(userId))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}

/** What of a state is kept: whoever reads it cannot come back with the state itself. */
export const hashState = (state: string): string => createHash("sha256").update(state).digest("hex");

/** A text that nobody guesses, in the characters of a PKCE verifier (RFC 7636). */
export const generateSecret = (): string => randomBytes(32).toString("base64url");
