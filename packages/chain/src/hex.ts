import type { Hex } from "@cardkeep/contract/primitives";
import { isHex, keccak256 as keccak256OfBytes } from "viem";

/**
 * Hex, unchanged.
 * @throws Error for any other value
 */
export function parseHex(value: unknown): Hex {
  if (!isHex(value)) throw new Error("Expected hex");
  return value;
}

/** Keccak-256 of bytes, as 32 bytes of lower-case hex. */
export const keccak256 = (bytes: Uint8Array): Hex => keccak256OfBytes(bytes);
