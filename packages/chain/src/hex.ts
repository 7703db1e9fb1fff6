import type { Hex } from "@cardkeep/contract/primitives";
import { isHex } from "viem";

/** Hex as it came. @throws Error when it is none */
export function parseHex(value: unknown): Hex {
  if (!isHex(value)) throw new Error("Expected hex");
  return value;
}
