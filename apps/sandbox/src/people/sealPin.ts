import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";

/** Encrypts a PIN for the service, as the published web client does: see `/user/card-public-key`. */
export function sealPin(publicKey: string, pin: string): { encryptedPin: string; encryptedKey: string; iv: string } {
  const recipient = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  const key = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const encryptedPin = Buffer.concat([cipher.update(pin, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const encryptedKey = publicEncrypt(
    { key: recipient, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" },
    // The base64 text, not the bytes.
    Buffer.from(key.toString("base64"), "utf8"),
  );
  return {
    encryptedPin: encryptedPin.toString("base64"),
    encryptedKey: encryptedKey.toString("base64"),
    iv: iv.toString("base64"),
  };
}
