import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { concat, hashMessage, size, slice } from "viem";
import { recoverAddress } from "./curve.ts";

const ecdsaBytes = 65;
const compactBytes = 64;

/**
 * A key's signature as contracts take it: 65 bytes, the last of them 27 or 28. Any other signature stays unchanged.
 *
 * Some wallets return 0 or 1 there, which the Delay module reads as the mark of a contract's signature. Some return 64
 * bytes (EIP-2098).
 */
export function normalizeSignature(signature: Hex): Hex {
  if (size(signature) === compactBytes) return expandCompact(signature);
  if (size(signature) !== ecdsaBytes) return signature;
  const last = slice(signature, ecdsaBytes - 1);
  if (last === "0x00") return `${slice(signature, 0, ecdsaBytes - 1)}1b`;
  return last === "0x01" ? `${slice(signature, 0, ecdsaBytes - 1)}1c` : signature;
}

/** The last byte of a key's signature, and the parity that it stands for. */
const parities: Readonly<Record<string, 0 | 1>> = { "00": 0, "01": 1, "1b": 0, "1c": 1 };
const digitsOfNumber = 64;

/** Moves the parity, the highest bit of `s`, into a byte of its own. */
function expandCompact(signature: Hex): Hex {
  const at = 2 + digitsOfNumber;
  const digit = parseInt(signature.charAt(at), 16);
  const s = (digit & 7).toString(16) + signature.slice(at + 1);
  return `0x${signature.slice(2, at)}${s}${digit > 7 ? "1c" : "1b"}`;
}

/** The address whose key made a signature of 65 or 64 bytes of a 32-byte hash; null for an invalid signature. */
export async function recoverSigner(hash: Hex, given: Hex): Promise<Address | null> {
  const signature = given.length === 2 + 2 * compactBytes ? expandCompact(given) : given;
  if (signature.length !== 2 + 2 * ecdsaBytes) return null;
  const at = 2 + digitsOfNumber;
  const yParity = parities[signature.slice(-2).toLowerCase()];
  if (yParity === undefined) return null;
  return recoverAddress(hash, { r: `0x${signature.slice(2, at)}`, s: `0x${signature.slice(at, -2)}`, yParity });
}

/** The same for a signature of a text (EIP-191). */
export const recoverMessageSigner = (message: string, signature: Hex): Promise<Address | null> =>
  recoverSigner(hashMessage(message), signature);

const saltBytes = 32;

/**
 * An enqueue of `data` whose key's signature has 64 bytes (EIP-2098), with its 65 bytes; any other calldata unchanged.
 */
export function expandEnqueue(bytes: Hex, data: Hex): Hex {
  const start = size(data) + saltBytes;
  if (size(bytes) !== start + compactBytes) return bytes;
  return concat([slice(bytes, 0, start), normalizeSignature(slice(bytes, start))]);
}
