/** Turns a node's error about a failed call into words. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { decodeErrorResult, size } from "viem";
import { errorsAbi } from "./abis.ts";
import { CallReverted } from "./errors.ts";

/** The error of a JSON-RPC answer. */
export interface NodeError {
  code: number;
  message: string;
  data?: unknown;
}

/** `execution reverted` of the JSON-RPC error codes in execution-apis. */
const executionReverted = 3;

/** Texts of Geth, Erigon, Nethermind and Anvil for a call that the EVM stopped. */
const haltWords = new RegExp(
  [
    "revert|vm execution error|evm error|stack (under|over)flow|invalid (opcode|jump)|bad (instruction|jump)",
    "out of ?gas|gas required exceeds|gas uint64 overflow|gas spent exceeded|transaction execution fails",
  ].join("|"),
  "i",
);

const poverty = /insufficient (funds|balance)|out ?of ?funds/i;

/**
 * The chain's verdict on a call; null if the node failed, not the call.
 *
 * An insufficient balance is a verdict only on a call that moves value. Otherwise the sender cannot pay for the gas.
 */
export function findRevert(fault: NodeError, value: bigint): CallReverted | null {
  const data = findRevertData(fault);
  if (data && size(data) >= 4) return new CallReverted(describeRevert(data));
  if (fault.code === executionReverted || haltWords.test(fault.message)) {
    return new CallReverted({ reason: readMessage(fault.message), data });
  }
  return value > 0n && poverty.test(fault.message) ? new CallReverted({ reason: "insufficient balance" }) : null;
}

/** Revert data in words: the text of `require`, the meaning of a panic, or a custom error with its arguments. */
export function describeRevert(data: Hex): { reason: string; errorName?: string; data: Hex } {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errorsAbi, data });
    const [first] = args;
    if (errorName === "Error") return { reason: toLine(String(first)), errorName, data };
    if (errorName === "Panic" && typeof first === "bigint") return { reason: describePanic(first), errorName, data };
    return { reason: `${errorName}(${args.map(String).join(", ")})`, errorName, data };
  } catch {
    return { reason: `unknown error ${data.slice(0, 10)}`, data };
  }
}

/** Nodes put the data at the top or deeper, with or without words before it. */
function findRevertData({ data }: NodeError): Hex | undefined {
  if (typeof data === "object" && data !== null && "data" in data) {
    return findRevertData({ code: 0, message: "", data: data.data });
  }
  const found = typeof data === "string" ? /0x((?:[0-9a-f]{2})*)\b/i.exec(data) : null;
  return found ? `0x${found[1]}` : undefined;
}

const readMessage = (message: string): string => toLine(message.replace(/^execution reverted:? ?/i, ""));

const reasonLengthMax = 200;

/** A contract chooses its text: only one line is shown, without control characters. */
function toLine(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.slice(0, reasonLengthMax).toWellFormed() || "no reason given";
}

/** Source: the Solidity documentation, "Panic via assert and Error via require". */
const panics: ReadonlyMap<bigint, string> = new Map([
  [0x01n, "assertion failed"],
  [0x11n, "arithmetic overflow or underflow"],
  [0x12n, "division by zero"],
  [0x21n, "value out of an enum's range"],
  [0x22n, "wrongly encoded storage"],
  [0x31n, "pop from an empty array"],
  [0x32n, "index out of bounds"],
  [0x41n, "too much memory allocated"],
  [0x51n, "call of an uninitialized function"],
]);

const describePanic = (code: bigint): string => panics.get(code) ?? `panic 0x${code.toString(16)}`;
