import type { Address, Hex } from "@cardkeep/contract/core/primitives";
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

/** Hex digits of a word. */
export const wordDigits = 64;

/** A number that is not negative as a word of calldata, without `0x`. */
export const encodeNumber = (number: number | bigint): string => number.toString(16).padStart(wordDigits, "0");

/** An address as a word of calldata, in lower case and without `0x`. */
export const encodeAddress = (address: Address): string => address.slice(2).toLowerCase().padStart(wordDigits, "0");

/** Bytes as the words of calldata that follow their offset: their length, and they themselves. Without `0x`. */
export function encodeBytes(data: Hex): string {
  const digits = data.length - 2;
  return encodeNumber(digits / 2) + data.slice(2).padEnd(Math.ceil(digits / wordDigits) * wordDigits, "0");
}
