/**
 * The Delay module of a Safe: the messages of its owners, the calls to it, and the entries of its queue. All pure.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  concat,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  encodePacked,
  getAbiItem,
  getAddress,
  isAddressEqual,
  keccak256,
  numberToHex,
  pad,
  size,
  slice,
  toFunctionSelector,
  toHex,
  trim,
} from "viem";
import { delayAbi, safeAbi } from "./abis.ts";
import { type Call, findOperation, operationCodes, type OperationType } from "./call.ts";
import { encodeAddress, encodeBytes, encodeNumber, parseHex } from "./hex.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** EIP-712 typed data of zodiac's `SignatureChecker`: a domain without name and version, no `EIP712Domain` entry. */
export interface ModuleTypedData {
  domain: { verifyingContract: Address; chainId: number };
  primaryType: "ModuleTx";
  types: { ModuleTx: [{ type: "bytes"; name: "data" }, { type: "bytes32"; name: "salt" }] };
  message: { data: Hex; salt: Hex };
}

const moduleCallSelector = toFunctionSelector(getAbiItem({ abi: delayAbi, name: "execTransactionFromModule" }));
const [wordBytes, wordsBeforeBytes] = [32, 4];

/**
 * Calldata of `execTransactionFromModule`, by which an owner enqueues a call: the `data` of the message.
 *
 * Built by hand for each accepted operation; a test compares it with the general encoder's.
 */
export function buildModuleCall({ to, value, data }: Call, operation: OperationType = "CALL"): Hex {
  const fixed = [encodeAddress(to), encodeNumber(value), encodeNumber(wordsBeforeBytes * wordBytes)].join("");
  return `${moduleCallSelector}${fixed}${encodeNumber(operationCodes[operation])}${encodeBytes(data)}`;
}

/** The call inside a message's `data`; null unless it is exactly the output of `buildModuleCall`. */
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

/** The typed data that an owner signs to enqueue `data` once. */
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

/** The signed hash, which the module remembers as consumed: its `moduleTxHash`. */
export function hashModuleMessage({ delay, chainId, data, salt }: Parameters<typeof buildModuleTypedData>[0]): Hex {
  const domain = hashHex(`${domainType}${encodeNumber(chainId)}${encodeAddress(delay)}`);
  const message = hashHex(`${messageType}${hashHex(data.slice(2))}${salt.slice(2)}`);
  return `0x${hashHex(`1901${domain}${message}`)}`;
}

/** Keccak-256 of bytes in hex, both without `0x`. */
const hashHex = (digits: string): string => keccak256(Buffer.from(digits, "hex")).slice(2);

/** The general function for typed data takes ten times as long; a test compares both. */
const [domainType, messageType] = [
  "EIP712Domain(uint256 chainId,address verifyingContract)",
  "ModuleTx(bytes data,bytes32 salt)",
].map((type) => keccak256(Buffer.from(type)).slice(2));

const timestampBytes = 8;
const randomBytes = 24;

/** 32 unique bytes: the millisecond, then 24 random bytes. */
export function generateSalt(now: Date): Hex {
  const random = crypto.getRandomValues(new Uint8Array(randomBytes));
  return concat([numberToHex(now.getTime(), { size: timestampBytes }), toHex(random)]);
}

/**
 * The call that enqueues a signed message. Every account may send it.
 *
 * A key's signature must have 65 bytes and end in 27 or 28. A contract's signature (ERC-1271) stands before the salt;
 * the last 65 bytes then name the wallet and the start of its signature. Source: zodiac `SignatureChecker`.
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

/**
 * Whether an enqueue carries a key's signature. Then its cost does not depend on the signer, and none of the signer's
 * code runs.
 */
export const isSignedByKey = (enqueueData: Hex): boolean => /1[bc]$/i.test(enqueueData);

const ecdsaBytes = 65;
const saltBytes = 32;

/**
 * The message and signature inside calldata of `buildEnqueue`; null for any other calldata.
 *
 * Calldata that ends like a contract's signature counts as one only if it names an address and the signature's
 * position.
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

/** The call that executes the head of the queue. Every account may send it; it has to repeat the queued call. */
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

/**
 * The call that drops expired heads up to the first live one. Every account may send it; without an expired head it
 * does nothing.
 */
export function buildSkipExpired(delay: Address): Call {
  return { to: delay, value: 0n, data: encodeFunctionData({ abi: delayAbi, functionName: "skipExpired" }) };
}

/** The queue's hash of a call: the contract's `getTransactionHash`. Equal calls have equal hashes. */
export function hashQueueItem(call: Call, operation: OperationType): Hex {
  const types = ["address", "uint256", "bytes", "uint8"] as const;
  return keccak256(encodePacked(types, [call.to, call.value, call.data, operationCodes[operation]]));
}

/** An enqueued call, and its log on chain. */
export interface QueueEntry extends Call {
  queueNonce: bigint;
  txHash: Hex;
  operation: OperationType;
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
}

/** Topics of a Delay module's log about an enqueued call. */
export const queueTopics: LogTopics = encodeEventTopics({ abi: delayAbi, eventName: "TransactionAdded" });

/** The entry in a `TransactionAdded` log; null for any other log. */
export function parseQueueLog(log: ChainLog): QueueEntry | null {
  const event = parseDelayEvent(log);
  const operation = event?.eventName === "TransactionAdded" ? findOperation(event.args.operation) : null;
  if (event?.eventName !== "TransactionAdded" || !operation) return null;
  const { queueNonce, txHash, to, value, data } = event.args;
  const { blockNumber, blockHash, transactionHash, logIndex } = log;
  return { queueNonce, txHash, to, value, data, operation, blockNumber, blockHash, transactionHash, logIndex };
}

/**
 * The queue entry of a signed message; null if the logs do not contain it.
 *
 * The module emits `HashExecuted` with the message's hash, and then `TransactionAdded`. If two owners enqueued
 * the same message, it is the first of the two entries; this service accepts a message of one owner alone.
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

/**
 * Entries of a call that the logs of one transaction show, in queue order. A module that knows a sender as an owner takes the
 * signed bytes without their signature: it emits no `HashExecuted`.
 */
export const listEntriesOf = (
  logs: readonly ChainLog[],
  { delay, call, operation }: { delay: Address; call: Call; operation: OperationType },
): QueueEntry[] =>
  logs
    .filter((log) => isAddressEqual(log.address, delay))
    .flatMap((log) => parseQueueLog(log) ?? [])
    .filter(
      (entry) =>
        isAddressEqual(entry.to, call.to) &&
        entry.value === call.value &&
        entry.data.toLowerCase() === call.data.toLowerCase() &&
        entry.operation === operation,
    );

/** Whether any of the logs shows that a signer invalidated a message. */
export function hasInvalidation(
  logs: readonly ChainLog[],
  { delay, messageHash }: { delay: Address; messageHash: Hex },
): boolean {
  return logs.some((log) => {
    const event = isAddressEqual(log.address, delay) ? parseDelayEvent(log) : null;
    return event?.eventName === "HashInvalidated" && event.args.hash === messageHash.toLowerCase();
  });
}

/** A log of the Delay module as one of its events; null for an unused event. */
export function parseDelayEvent(log: ChainLog) {
  const [signature, ...rest] = log.topics;
  if (!signature) return null;
  try {
    return decodeEventLog({ abi: delayAbi, data: log.data, topics: [signature, ...rest] });
  } catch {
    return null;
  }
}

/** Topic of a Safe's log about a successful call of one of its modules. */
export const [executionSuccessTopic] = encodeEventTopics({ abi: safeAbi, eventName: "ExecutionFromModuleSuccess" });

/** Whether a log shows that a Safe ran a call of its Delay module. Only this log proves a successful execution. */
export function isExecutionSuccess(log: ChainLog, { safe, delay }: { safe: Address; delay: Address }): boolean {
  const [signature, module] = log.topics;
  return (
    isAddressEqual(log.address, safe) &&
    signature === executionSuccessTopic &&
    module?.slice(-40).toLowerCase() === delay.slice(-40).toLowerCase()
  );
}

/** Whether any of the logs shows a Safe's successful call of its Delay module. */
export function hasExecutionSuccess(logs: readonly ChainLog[], input: { safe: Address; delay: Address }): boolean {
  return logs.some((log) => isExecutionSuccess(log, input));
}
