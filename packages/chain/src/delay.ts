/** The Delay module of a Safe: what its owners sign, what is sent to it, and what its queue holds. All pure. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import {
  concat,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  encodePacked,
  getAddress,
  hashTypedData,
  isAddressEqual,
  keccak256,
  numberToHex,
  pad,
  size,
  slice,
  toHex,
  trim,
} from "viem";
import { delayAbi, safeAbi } from "./abis.ts";
import { type Call, findOperation, operationCodes, type OperationType } from "./call.ts";
import { parseHex } from "./hex.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** EIP-712 typed data of zodiac's `SignatureChecker`: a domain without name and version, no `EIP712Domain` entry. */
export interface ModuleTypedData {
  domain: { verifyingContract: Address; chainId: number };
  primaryType: "ModuleTx";
  types: { ModuleTx: [{ type: "bytes"; name: "data" }, { type: "bytes32"; name: "salt" }] };
  message: { data: Hex; salt: Hex };
}

/** Calldata of `execTransactionFromModule`, by which an owner puts a call into the queue: the `data` of the message. */
export function buildModuleCall(call: Call, operation: OperationType = "CALL"): Hex {
  return encodeFunctionData({
    abi: delayAbi,
    functionName: "execTransactionFromModule",
    args: [call.to, call.value, call.data, operationCodes[operation]],
  });
}

/** The call inside a message's `data`; null when it is anything but exactly what `buildModuleCall` makes. */
export function parseModuleCall(data: Hex): { call: Call; operation: OperationType } | null {
  try {
    const lowerCase = parseHex(data.toLowerCase());
    const decoded = decodeFunctionData({ abi: delayAbi, data: lowerCase });
    if (decoded.functionName !== "execTransactionFromModule") return null;
    const [to, value, inner, code] = decoded.args;
    const operation = findOperation(code);
    if (!operation) return null;
    const call = { to, value, data: inner };
    return buildModuleCall(call, operation).toLowerCase() === lowerCase ? { call, operation } : null;
  } catch {
    return null;
  }
}

/** The typed data that an owner signs so that `data` is put into the queue once. */
export function buildModuleTypedData(input: {
  delay: Address;
  chainId: number;
  data: Hex;
  salt: Hex;
}): ModuleTypedData {
  return {
    domain: { verifyingContract: input.delay, chainId: input.chainId },
    primaryType: "ModuleTx",
    types: {
      ModuleTx: [
        { type: "bytes", name: "data" },
        { type: "bytes32", name: "salt" },
      ],
    },
    message: { data: input.data, salt: input.salt },
  };
}

/** The hash that is signed, and that the module remembers as consumed: its `moduleTxHash`. */
export function hashModuleMessage(input: { delay: Address; chainId: number; data: Hex; salt: Hex }): Hex {
  return hashTypedData(buildModuleTypedData(input));
}

const timestampBytes = 8;
const randomBytes = 24;

/** 32 bytes that no other message has: the millisecond, then 24 random bytes. */
export function generateSalt(now: Date): Hex {
  const random = crypto.getRandomValues(new Uint8Array(randomBytes));
  return concat([numberToHex(now.getTime(), { size: timestampBytes }), toHex(random)]);
}

/**
 * The call, sendable by anyone, that puts a signed message into the queue.
 *
 * A key's signature must be of 65 bytes and end in 27 or 28. A contract's (ERC-1271) stands before the salt, and the
 * last 65 bytes then name the wallet and where its signature begins. Source: zodiac `SignatureChecker`.
 */
export function buildEnqueue(input: {
  delay: Address;
  data: Hex;
  salt: Hex;
  signature: Hex;
  smartWallet?: Address;
}): Call {
  const { delay, data, salt, signature, smartWallet } = input;
  const bytes = smartWallet
    ? concat([data, signature, salt, pad(smartWallet), numberToHex(size(data), { size: 32 }), "0x00"])
    : concat([data, salt, signature]);
  return { to: delay, value: 0n, data: bytes };
}

/** Whether an enqueue carries a key's signature: then it costs the same whoever signed, and runs no code of theirs. */
export const isSignedByKey = (enqueueData: Hex): boolean => /1[bc]$/i.test(enqueueData);

const ecdsaBytes = 65;
const saltBytes = 32;

/**
 * The message and signature inside calldata as `buildEnqueue` makes it; null when it is nothing like that.
 *
 * What ends like a contract's signature is one only where it names an address and the place that it stands at.
 */
export function parseEnqueue(bytes: Hex): { data: Hex; salt: Hex; signature: Hex; smartWallet: Address | null } | null {
  const end = size(bytes) - ecdsaBytes;
  const saltStart = end - saltBytes;
  if (saltStart < 0) return null;
  const trailer = slice(bytes, end);
  const salt = slice(bytes, saltStart, end);
  const [wallet, offset] = [slice(trailer, 0, 32), BigInt(slice(trailer, 32, 64))];
  if (trailer.endsWith("00") && size(trim(wallet)) <= 20 && offset > 0n && offset < BigInt(saltStart)) {
    const start = Number(offset);
    const smartWallet = getAddress(slice(wallet, 12));
    return { data: slice(bytes, 0, start), salt, signature: slice(bytes, start, saltStart), smartWallet };
  }
  return saltStart === 0 ? null : { data: slice(bytes, 0, saltStart), salt, signature: trailer, smartWallet: null };
}

/** The call, sendable by anyone, that runs the head of the queue; it has to repeat what is queued there. */
export function buildDispatch(input: { delay: Address; call: Call; operation: OperationType }): Call {
  const { to, value, data } = input.call;
  return {
    to: input.delay,
    value: 0n,
    data: encodeFunctionData({
      abi: delayAbi,
      functionName: "executeNextTx",
      args: [to, value, data, operationCodes[input.operation]],
    }),
  };
}

/** The call, sendable by anyone, that drops expired heads up to the first live one; without any it does nothing. */
export function buildSkipExpired(delay: Address): Call {
  return { to: delay, value: 0n, data: encodeFunctionData({ abi: delayAbi, functionName: "skipExpired" }) };
}

/** What the queue stores of a call: the contract's `getTransactionHash`. Equal calls have equal hashes. */
export function hashQueueItem(call: Call, operation: OperationType): Hex {
  const types = ["address", "uint256", "bytes", "uint8"] as const;
  return keccak256(encodePacked(types, [call.to, call.value, call.data, operationCodes[operation]]));
}

/** A call that was put into the queue, and where the chain says so. */
export interface QueueEntry extends Call {
  queueNonce: bigint;
  txHash: Hex;
  operation: OperationType;
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
}

/** Topics of the log by which a Delay module tells that a call was put into its queue. */
export const queueTopics: LogTopics = encodeEventTopics({ abi: delayAbi, eventName: "TransactionAdded" });

/** The entry that a `TransactionAdded` log tells of; null for any other log. */
export function parseQueueLog(log: ChainLog): QueueEntry | null {
  const event = parseDelayEvent(log);
  const operation = event?.eventName === "TransactionAdded" ? findOperation(event.args.operation) : null;
  if (event?.eventName !== "TransactionAdded" || !operation) return null;
  const { queueNonce, txHash, to, value, data } = event.args;
  const { blockNumber, blockHash, transactionHash, logIndex } = log;
  return { queueNonce, txHash, to, value, data, operation, blockNumber, blockHash, transactionHash, logIndex };
}

/**
 * The entry that a signed message became; null when the logs do not tell of it.
 *
 * The module emits `HashExecuted` with the message's hash and right after it `TransactionAdded`. Where two owners
 * signed the same message it is the first of the two entries.
 */
export function findEnqueueLog(
  logs: readonly ChainLog[],
  input: { delay: Address; messageHash: Hex },
): QueueEntry | null {
  const ofDelay = logs.filter((log) => isAddressEqual(log.address, input.delay));
  for (const log of ofDelay) {
    const event = parseDelayEvent(log);
    if (event?.eventName !== "HashExecuted" || event.args.hash !== input.messageHash.toLowerCase()) continue;
    const next = ofDelay.find((other) => other.blockHash === log.blockHash && other.logIndex === log.logIndex + 1);
    const entry = next && parseQueueLog(next);
    if (entry) return entry;
  }
  return null;
}

/** A log of the Delay module as one of its events; null for an event that is not used here. */
export function parseDelayEvent(log: ChainLog) {
  const [signature, ...rest] = log.topics;
  if (!signature) return null;
  try {
    return decodeEventLog({ abi: delayAbi, data: log.data, topics: [signature, ...rest] });
  } catch {
    return null;
  }
}

/** Topic of the log by which a Safe tells that it ran a call of one of its modules. */
export const [executionSuccessTopic] = encodeEventTopics({ abi: safeAbi, eventName: "ExecutionFromModuleSuccess" });

/** Whether a log says that a Safe ran a call of its Delay module: the only evidence of a dispatch that worked. */
export function isExecutionSuccess(log: ChainLog, { safe, delay }: { safe: Address; delay: Address }): boolean {
  const [signature, module] = log.topics;
  return (
    isAddressEqual(log.address, safe) &&
    signature === executionSuccessTopic &&
    module?.slice(-40).toLowerCase() === delay.slice(-40).toLowerCase()
  );
}

/** Whether any of the logs is a Safe's success with a call of its Delay module. */
export function hasExecutionSuccess(logs: readonly ChainLog[], input: { safe: Address; delay: Address }): boolean {
  return logs.some((log) => isExecutionSuccess(log, input));
}
