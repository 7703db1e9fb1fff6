/** Reads the creation of a Safe from the chain's logs and the transaction that created it. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { decodeEventLog, decodeFunctionData, encodeEventTopics, parseAbi } from "viem";
import { multicallAbi } from "./abis.ts";
import type { ChainLog, LogTopics } from "./log.ts";

const setUpAbi = parseAbi([
  "event SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)",
]);
const factoryAbi = parseAbi([
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
]);

/** Topics of a Safe's log about its creation. */
export const creationTopics: LogTopics = encodeEventTopics({ abi: setUpAbi, eventName: "SafeSetup" });

/** The Safe whose creation a log shows, if `creator` is its only owner; null for any other log. */
export function findCreatedSafe({ address, topics, data }: ChainLog, creator: Address): Address | null {
  const [signature, ...rest] = topics;
  if (!signature) return null;
  try {
    const { args } = decodeEventLog({ abi: setUpAbi, data, topics: [signature, ...rest] });
    return args.owners.length === 1 && args.owners[0] === creator ? address : null;
  } catch {
    return null;
  }
}

/** Transaction, accounts that share it, steps of one account, creation of its Safe. */
const nestingMax = 4;

/** The nonces with which a transaction creates Safes, by itself or through Multicall3. */
export function listCreationNonces(data: Hex, nesting = nestingMax): bigint[] {
  if (nesting === 0) return [];
  try {
    return [decodeFunctionData({ abi: factoryAbi, data }).args[2]];
  } catch {
    return listInner(data).flatMap((inner) => listCreationNonces(inner, nesting - 1));
  }
}

function listInner(data: Hex): Hex[] {
  try {
    const decoded = decodeFunctionData({ abi: multicallAbi, data });
    return decoded.functionName === "aggregate3" ? decoded.args[0].map(({ callData }) => callData) : [];
  } catch {
    return [];
  }
}
