/** Random inputs for the tests of the chain package. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import fc from "fast-check";
import { getAddress, toHex } from "viem";

const bytes = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((value): Hex => toHex(value));

export const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((value) => value.some((byte) => byte > 2))
  .map((value): Address => getAddress(toHex(value)));
export const words = bytes(32, 32);
export const privateKeys = bytes(32, 32).filter((key) => {
  const value = BigInt(key);
  return value > 0n && value < 2n ** 255n;
});
export const calldata = bytes(0, 300);
export const signatures = bytes(65, 65);
export const contractSignatures = bytes(1, 200);
export const amounts = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
export const uint256s = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
export const operations = fc.constantFrom("CALL" as const, "DELEGATECALL" as const);
export const calls = fc.record({ to: addresses, value: uint256s, data: calldata });
