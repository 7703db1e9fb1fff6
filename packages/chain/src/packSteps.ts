/** The steps of a MultiSend batch, packed and unpacked. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { concat, encodePacked, getAddress, hexToBigInt, hexToNumber, size, slice } from "viem";
import { type Call, operationCodes } from "./call.ts";

/** Bytes of a packed MultiSend step before its data: operation, to, value, length. */
const stepHeadBytes = 1 + 20 + 32 + 32;

/** Packs plain calls, in order. */
export function packSteps(steps: readonly Call[]): Hex {
  const types = ["uint8", "address", "uint256", "uint256", "bytes"] as const;
  return concat(
    steps.map(({ to, value, data }) => encodePacked(types, [operationCodes.CALL, to, value, BigInt(size(data)), data])),
  );
}

/** The steps of a MultiSend batch of plain calls, in order. */
export function unpackSteps(packed: Hex): Call[] {
  const steps: Call[] = [];
  for (let at = 0; at < size(packed);) {
    const length = hexToNumber(slice(packed, at + 53, at + stepHeadBytes));
    const end = at + stepHeadBytes + length;
    steps.push({
      to: getAddress(slice(packed, at + 1, at + 21)),
      value: hexToBigInt(slice(packed, at + 21, at + 53)),
      data: length === 0 ? "0x" : slice(packed, at + stepHeadBytes, end),
    });
    at = end;
  }
  return steps;
}
