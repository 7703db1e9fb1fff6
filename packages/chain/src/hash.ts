import type { Hex } from "@cardkeep/contract/primitives";
import { keccak256 as keccak256OfBytes } from "viem";

/** Keccak-256 of bytes, as 32 bytes of lower-case hex. */
export const keccak256 = (bytes: Uint8Array): Hex => keccak256OfBytes(bytes);
