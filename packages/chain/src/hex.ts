import type { Hex } from "@cardkeep/contract/primitives";
import { isHex } from "viem";

/**
 * Hex, unchanged.
 * @throws Error for any other value
 */
export function parseHex(value: unknown): Hex {
  if (!isHex(value)) throw new Error("Expected hex");
  return value;
}
