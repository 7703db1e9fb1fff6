/** The format before 1.0.0: base64 of nonce, tag and ciphertext (AES-256-GCM), the owner as additional data. */
import { createDecipheriv } from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;

/** Opens a secret of the old format with the first key that fits; null when none does. Re-sealing ends its use. */
export function unsealLegacy(keys: readonly Uint8Array[], ownerId: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
  if (tag.length !== tagBytes) return null;
  for (const key of keys) {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(ownerId))
      .setAuthTag(tag);
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    if (isGenuine(() => decipher.final())) return text.toString("utf8");
  }
  return null;
}

function isGenuine(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
