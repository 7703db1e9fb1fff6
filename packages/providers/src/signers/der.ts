/** DER, as far as keys and signatures on secp256k1 need it. Sources: X.690; RFC 5480, section 2; RFC 3279, section 2.2.3. */
import { secp256k1 } from "@noble/curves/secp256k1";
import type { Hex } from "@cardkeep/contract/core/primitives";

/** `r` and `s` of an ECDSA signature; null for other bytes. */
export function parseDerSignature(bytes: Uint8Array): { r: bigint; s: bigint } | null {
  try {
    const { r, s } = secp256k1.Signature.fromDER(bytes);
    return { r, s };
  } catch {
    return null;
  }
}

/** A SubjectPublicKeyInfo of an uncompressed point on secp256k1, up to that point. */
const spkiPrefix = Buffer.from("3056301006072a8648ce3d020106052b8104000a03420004", "hex");
const pointBytes = 64;

/** The 64 bytes of a public key on secp256k1; null for other keys. */
export function parseSpki(bytes: Uint8Array): Hex | null {
  const given = Buffer.from(bytes);
  const isOnCurve = given.subarray(0, spkiPrefix.length).equals(spkiPrefix);
  if (!isOnCurve || given.length !== spkiPrefix.length + pointBytes) return null;
  return `0x${given.subarray(spkiPrefix.length).toString("hex")}`;
}
