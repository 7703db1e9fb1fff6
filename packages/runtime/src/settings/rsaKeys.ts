/** Parses RSA keys from settings: PEM, or its DER in base64. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

const modulusBitsMin = 2048;

/** A public key as SPKI DER in base64; null for an invalid text. */
export const parsePublicKey = (text: string): string | null =>
  read(() => createPublicKey(isPem(text) ? text : { key: Buffer.from(text, "base64"), format: "der", type: "spki" }))
    ?.export({ format: "der", type: "spki" })
    .toString("base64") ?? null;

/** A private key; null for an invalid text. */
export const parsePrivateKey = (text: string): KeyObject | null =>
  read(() => createPrivateKey(isPem(text) ? text : { key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" }));

const isPem = (text: string): boolean => text.startsWith("-----BEGIN ");

function read(parse: () => KeyObject): KeyObject | null {
  try {
    const key = parse();
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === "rsa" && bits >= modulusBitsMin ? key : null;
  } catch {
    return null;
  }
}
