/**
 * A transaction of a Safe itself: the message of its owner, the call that sends it, and the proof that it ran. All
 * pure.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeEventTopics, encodeFunctionData, hashTypedData, isAddressEqual, slice, zeroAddress } from "viem";
import { safeAbi } from "./abis.ts";
import { type Call, operationCodes, type OperationType } from "./call.ts";
import type { ChainLog, LogTopics } from "./log.ts";
import { normalizeSignature } from "./signatures.ts";

/** EIP-712 typed data of a transaction without gas refund; every number is small enough for JSON. */
export interface SafeTypedData {
  domain: { verifyingContract: Address; chainId: number };
  primaryType: "SafeTx";
  types: { SafeTx: { type: string; name: string }[] };
  message: {
    to: Address;
    value: number;
    data: Hex;
    operation: number;
    safeTxGas: number;
    baseGas: number;
    gasPrice: number;
    gasToken: Address;
    refundReceiver: Address;
    nonce: number;
  };
}

/** Source: GnosisSafe 1.3.0, `SAFE_TX_TYPEHASH`. */
const types: SafeTypedData["types"] = {
  SafeTx: [
    { type: "address", name: "to" },
    { type: "uint256", name: "value" },
    { type: "bytes", name: "data" },
    { type: "uint8", name: "operation" },
    { type: "uint256", name: "safeTxGas" },
    { type: "uint256", name: "baseGas" },
    { type: "uint256", name: "gasPrice" },
    { type: "address", name: "gasToken" },
    { type: "address", name: "refundReceiver" },
    { type: "uint256", name: "nonce" },
  ],
};

/**
 * The typed data to sign. Its signature lets every account send this one call, without value, as the Safe's
 * transaction `nonce`.
 */
export function buildSafeTypedData(input: {
  safe: Address;
  chainId: number;
  nonce: number;
  to: Address;
  data: Hex;
  operation: OperationType;
}): SafeTypedData {
  return {
    domain: { verifyingContract: input.safe, chainId: input.chainId },
    primaryType: "SafeTx",
    types,
    message: {
      to: input.to,
      value: 0,
      data: input.data,
      operation: operationCodes[input.operation],
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
      nonce: input.nonce,
    },
  };
}

/** The signed hash, which the Safe logs when the transaction ran. */
export const hashSafeTransaction = (typed: SafeTypedData): Hex => hashTypedData(typed);

/**
 * The call that runs a signed transaction. Every account may send it.
 *
 * All gas fields are 0, so it reverts as a whole if the transaction fails (GnosisSafe 1.3.0, `GS013`).
 */
export function buildSafeExecution({ domain, message }: SafeTypedData, signature: Hex): Call {
  const { to, data, operation } = message;
  const signatures = normalizeSignature(signature);
  const args = [to, 0n, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures] as const;
  return {
    to: domain.verifyingContract,
    value: 0n,
    data: encodeFunctionData({ abi: safeAbi, functionName: "execTransaction", args }),
  };
}

/** Topics of a Safe's log about a transaction of its own. */
export const safeSuccessTopics: LogTopics = encodeEventTopics({ abi: safeAbi, eventName: "ExecutionSuccess" });

/** Whether a log shows that a Safe ran the transaction with this hash. */
export function isSafeSuccess(log: ChainLog, { safe, hash }: { safe: Address; hash: Hex }): boolean {
  const [signature] = safeSuccessTopics;
  return isAddressEqual(log.address, safe) && log.topics[0] === signature && slice(log.data, 0, 32) === hash;
}
