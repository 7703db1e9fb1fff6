/**
 * What clients encrypt for the worker alone: a card's number, or the PIN that it is to have.
 *
 * - envelope: a text under AES-256-GCM, and the key to it under our RSA key, as the published web client makes them.
 */
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from "node:crypto";

export interface SealedText {
  /** RSA-OAEP with SHA-1 over the base64 text of the AES key, in base64. */
  encryptedKey: string;
  /** Ciphertext and tag in base64. */
  encryptedData: string;
  /** The nonce in base64. */
  iv: string;
}

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** The text in an envelope; null where it cannot be opened, for any reason. */
export function openEnvelope(key: KeyObject, { encryptedKey, encryptedData, iv }: SealedText): string | null {
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const keyText = privateDecrypt({ key, padding, oaepHash: "sha1" }, Buffer.from(encryptedKey, "base64"));
    const aesKey = Buffer.from(keyText.toString("utf8"), "base64");
    const nonce = Buffer.from(iv, "base64");
    const data = Buffer.from(encryptedData, "base64");
    if (aesKey.length !== keyBytes || nonce.length !== ivBytes || data.length <= tagBytes) return null;
    const decipher = createDecipheriv("aes-256-gcm", aesKey, nonce).setAuthTag(data.subarray(-tagBytes));
    return Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    // The reason is kept back: an attacker with many tries could learn the key from it.
    return null;
  }
}
