/** Parses answers of a node, which may hold any data. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { getAddress, isHex } from "viem";
import { ChainUnavailable } from "../errors.ts";
import type { ChainLog, ChainReceipt } from "../log.ts";

/**
 * Runs a parser on an answer.
 * @throws ChainUnavailable for an invalid answer
 */
export function parseAnswer<T>(method: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    const details = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw new ChainUnavailable(`${method}: the node's answer is invalid: ${details}`);
  }
}

export function readHex(value: unknown): Hex {
  if (!isHex(value)) throw new Error("expected hex");
  return value;
}

/** A hex quantity of any size. */
export function readBigInt(value: unknown): bigint {
  return BigInt(readHex(value));
}

/** A hex quantity that fits a number. */
export function readNumber(value: unknown): number {
  const number = Number(readBigInt(value));
  if (!Number.isSafeInteger(number)) throw new Error("the number is too large");
  return number;
}

/** 3,000 years: dates hold an instant that is two such periods away. */
const periodSecondsMax = 100_000_000_000n;

/** A period in seconds that a person chose, of any size; a longer one than 3,000 years counts as that. */
export function readPeriod(value: unknown): number {
  const seconds = readBigInt(value);
  return Number(seconds < periodSecondsMax ? seconds : periodSecondsMax);
}

export function readAddress(value: unknown): Address {
  return getAddress(readHex(value));
}

export function readList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error("expected a list");
  return value;
}

export function readRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("expected an object");
  return Object.fromEntries(Object.entries(value));
}

/** `timestamp` in unix seconds; a chain without EIP-1559 has a base fee of 0. */
export function readBlock(value: unknown): {
  number: bigint;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  baseFeePerGas: bigint;
} {
  const block = readRecord(value);
  return {
    number: readBigInt(block.number),
    hash: readHex(block.hash),
    parentHash: readHex(block.parentHash),
    timestamp: readNumber(block.timestamp),
    baseFeePerGas: block.baseFeePerGas === undefined ? 0n : readBigInt(block.baseFeePerGas),
  };
}

export function readLog(value: unknown): ChainLog {
  const log = readRecord(value);
  return {
    address: readAddress(log.address),
    topics: readList(log.topics).map(readHex),
    data: readHex(log.data),
    blockNumber: readBigInt(log.blockNumber),
    blockHash: readHex(log.blockHash),
    transactionHash: readHex(log.transactionHash),
    logIndex: readNumber(log.logIndex),
  };
}

export function readReceipt(value: unknown): ChainReceipt {
  const receipt = readRecord(value);
  return {
    transactionHash: readHex(receipt.transactionHash),
    from: readAddress(receipt.from),
    status: readBigInt(receipt.status) === 1n ? "success" : "reverted",
    blockNumber: readBigInt(receipt.blockNumber),
    blockHash: readHex(receipt.blockHash),
    transactionIndex: readNumber(receipt.transactionIndex),
    logs: readList(receipt.logs).map(readLog),
    gasUsed: readBigInt(receipt.gasUsed),
    gasPrice: readBigInt(receipt.effectiveGasPrice),
  };
}

/** A block with its whole transactions. */
export function readTransactions(value: unknown): {
  number: bigint;
  hash: Hex;
  transactions: { hash: Hex; from: Address; nonce: bigint }[];
} {
  const block = readRecord(value);
  const transactions = readList(block.transactions).map((one) => {
    const transaction = readRecord(one);
    return {
      hash: readHex(transaction.hash),
      from: readAddress(transaction.from),
      nonce: readBigInt(transaction.nonce),
    };
  });
  return { number: readBigInt(block.number), hash: readHex(block.hash), transactions };
}
