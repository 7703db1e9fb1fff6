import type { Address, Hex } from "@cardkeep/contract/primitives";
import { recoverAddress, size, slice } from "viem";

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

/** The address whose key made a 65-byte signature of a hash; null for an invalid signature. */
export async function recoverSigner(hash: Hex, signature: Hex): Promise<Address | null> {
  const normalized = normalizeSignature(signature);
  const last = size(normalized) === ecdsaBytes ? slice(normalized, ecdsaBytes - 1) : null;
  if (last !== "0x1b" && last !== "0x1c") return null;
  try {
    return await recoverAddress({ hash, signature: normalized });
  } catch {
    // Numbers outside the curve: no key made this signature.
    return null;
  }
}
