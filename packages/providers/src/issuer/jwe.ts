/** JSON Web Encryption in its compact form, for one receiver with an RSA key. Source: RFC 7516, RFC 7518. */
import { constants, createCipheriv, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";

const header = Buffer.from(JSON.stringify({ alg: "RSA-OAEP-256", enc: "A256GCM" })).toString("base64url");
const keyBytes = 32;
const ivBytes = 12;

/** A text that only the holder of the private key can read; another one each time. */
export function encryptCompact(text: string, receiver: KeyObject): string {
  const key = randomBytes(keyBytes);
  const iv = randomBytes(ivBytes);
  const sealed = publicEncrypt({ key: receiver, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, key);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(header));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const parts = [sealed, iv, ciphertext, cipher.getAuthTag()];
  return [header, ...parts.map((part) => part.toString("base64url"))].join(".");
}
