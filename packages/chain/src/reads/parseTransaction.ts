/** Parses a node's answer about a transaction, and puts its signed bytes together again. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { keccak256, serializeTransaction } from "viem";
import type { ChainTransaction } from "../log.ts";
import { readAddress, readBigInt, readHex, readList, readNumber, readRecord } from "./parseAnswer.ts";

const eip1559 = 2;

export function readTransaction(answer: unknown): ChainTransaction {
  const fields = readRecord(answer);
  const gasPrice = fields.maxFeePerGas ?? fields.gasPrice;
  const transaction = {
    from: readAddress(fields.from),
    to: fields.to === null || fields.to === undefined ? null : readAddress(fields.to),
    nonce: readBigInt(fields.nonce),
    value: readBigInt(fields.value),
    data: readHex(fields.input),
    gasLimit: readBigInt(fields.gas),
    maxFeePerGas: readBigInt(gasPrice),
    maxPriorityFeePerGas: readBigInt(fields.maxPriorityFeePerGas ?? gasPrice),
  };
  return { ...transaction, raw: buildRaw(fields, transaction) };
}

/** The bytes that the sender signed, without an access list; null where they do not have the transaction's hash. */
function buildRaw(fields: Readonly<Record<string, unknown>>, transaction: Omit<ChainTransaction, "raw">): Hex | null {
  const isPlain = fields.accessList === undefined || readList(fields.accessList).length === 0;
  if (fields.type === undefined || readNumber(fields.type) !== eip1559 || !isPlain) return null;
  const { to, value, data, gasLimit: gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const nonce = Number(transaction.nonce);
  const raw = serializeTransaction(
    {
      type: "eip1559",
      chainId: readNumber(fields.chainId),
      nonce,
      to,
      value,
      data,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    },
    { r: toWord(fields.r), s: toWord(fields.s), yParity: readNumber(fields.yParity ?? fields.v) },
  );
  return keccak256(raw) === fields.hash ? raw : null;
}

/** Nodes leave leading zeros out. */
const toWord = (value: unknown): Hex => `0x${readBigInt(value).toString(16).padStart(64, "0")}`;
