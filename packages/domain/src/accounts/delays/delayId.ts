import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { createHash } from "node:crypto";

/**
 * The id of an operation, a UUID version 8 (RFC 9562) of what its owner signed. A database that lost the row gives it the same id
 * again, and no other operation ever has it.
 */
export function buildDelayId({ delayAddress, messageHash }: { delayAddress: Address; messageHash: Hex }): string {
  const signed = `${delayAddress}:${messageHash}`.toLowerCase();
  const digits = createHash("sha256").update(signed).digest("hex");
  const variant = (8 + (Number.parseInt(digits.slice(16, 17), 16) % 4)).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
