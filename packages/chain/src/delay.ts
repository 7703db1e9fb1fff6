/**
 * The Delay module of a Safe: the messages of its owners, and the calls to it. All pure.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  concat,
  decodeFunctionData,
  encodeFunctionData,
  encodePacked,
  getAbiItem,
  getAddress,
  keccak256,
  numberToHex,
  pad,
  size,
  slice,
  toFunctionSelector,
  toHex,
  trim,
} from "viem";
import { delayAbi } from "./abis.ts";
import { type Call, findOperation, operationCodes, type OperationType } from "./call.ts";
import { encodeAddress, encodeBytes, encodeNumber, parseHex } from "./hex.ts";

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
