import type { Address, Hex } from "@cardkeep/contract/primitives";
import { size, slice } from "viem";
import { recoverAddress } from "./curve.ts";

const ecdsaBytes = 65;

/**
 * A signature whose last byte is 27 or 28 where it was 0 or 1; any other signature unchanged.
 *
 * Some wallets return 0 or 1, which the Delay module reads as the mark of a contract's signature.
 */
export function normalizeSignature(signature: Hex): Hex {
  if (size(signature) !== ecdsaBytes) return signature;
  const last = slice(signature, ecdsaBytes - 1);
  if (last === "0x00") return `${slice(signature, 0, ecdsaBytes - 1)}1b`;
  return last === "0x01" ? `${slice(signature, 0, ecdsaBytes - 1)}1c` : signature;
}

/** The last byte of a key's signature, and the parity that it stands for. */
const parities: Readonly<Record<string, 0 | 1>> = { "00": 0, "01": 1, "1b": 0, "1c": 1 };
const digitsOfNumber = 64;

/** The address whose key made a 65-byte signature of a 32-byte hash; null for an invalid signature. */
export async function recoverSigner(hash: Hex, signature: Hex): Promise<Address | null> {
  if (signature.length !== 2 + 2 * ecdsaBytes) return null;
  const at = 2 + digitsOfNumber;
  const yParity = parities[signature.slice(-2).toLowerCase()];
  if (yParity === undefined) return null;
  return recoverAddress(hash, { r: `0x${signature.slice(2, at)}`, s: `0x${signature.slice(at, -2)}`, yParity });
}
