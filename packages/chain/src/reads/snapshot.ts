/** One request for an account in the form of the API. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { accountQuery } from "@gnosispay/account-kit";
import { LRUCache } from "lru-cache";
import { decodeFunctionData, decodeFunctionResult, encodeFunctionData, encodeFunctionResult } from "viem";
import { delayAbi, multicallAbi } from "../abis.ts";
import { deployments, sentinelAddress } from "../deployments.ts";
import { parseHex } from "../hex.ts";
import type { AccountIntegrity, AccountSnapshot, ChainReader, SnapshotQuestion } from "../port.ts";
import { type IntegrityReader, ownersPageSize, txNonceIndex } from "./account.ts";
import { requestAll } from "./aggregate.ts";
import type { Rpc } from "./rpc.ts";
import type { Question, Result } from "./encodeQuestions.ts";
import { buildFundsQuestions, readFunds } from "./spending.ts";
import { parseAnswer, readBigInt } from "./parseAnswer.ts";

/** The SDK's own calls follow from the Safe's address and take a millisecond to build. */
const callsKeptMax = 5_000;

const calldata = {
  blockNumber: encodeFunctionData({ abi: multicallAbi, functionName: "getBlockNumber" }),
  parentHash: encodeFunctionData({ abi: multicallAbi, functionName: "getLastBlockHash" }),
  timestamp: encodeFunctionData({ abi: multicallAbi, functionName: "getCurrentBlockTimestamp" }),
  owners: encodeFunctionData({
    abi: delayAbi,
    functionName: "getModulesPaginated",
    args: [sentinelAddress, ownersPageSize],
  }),
} as const;

const ask = (target: Address, callData: Hex): Question => ({ target, callData, allowFailure: true });

export function createSnapshotReads(rpc: Rpc, readIntegrity: IntegrityReader): Pick<ChainReader, "getAccountSnapshot"> {
  const known = new LRUCache<Address, readonly Question[]>({ max: callsKeptMax });
  const listSdkCalls = async (safe: Address): Promise<readonly Question[]> => {
    const calls = known.get(safe) ?? (await captureSdkCalls(safe));
    known.set(safe, calls);
    return calls;
  };

  return {
    getAccountSnapshot: async (question) => {
      const { addresses, cooldownSeconds } = question;
      const sdkCalls = await listSdkCalls(addresses.safe);
      const results = await requestAll(rpc, [...sdkCalls, ...buildQuestions(question)]);
      const ofSdk = results.slice(0, sdkCalls.length);
      let integrity: Promise<AccountIntegrity> | null = null;
      return {
        ...parseAnswer("getAccountSnapshot", () => readSnapshot(question, ofSdk, results.slice(sdkCalls.length))),
        // It takes milliseconds, so all requests that share the snapshot share it.
        readIntegrity: () =>
          (integrity ??= readIntegrity({ addresses, cooldownSeconds }, async () => encodeResults(ofSdk))),
      };
    },
  };
}

/** The calls in account-kit's one request about an account. */
async function captureSdkCalls(safe: Address): Promise<readonly Question[]> {
  let calls: readonly Question[] = [];
  await accountQuery({ account: safe, cooldown: 0 }, async ({ data }) => {
    const { args } = decodeFunctionData({ abi: multicallAbi, data: parseHex(data) });
    calls = args?.[0] ?? [];
    return encodeResults(calls.map(() => ({ success: false, returnData: "0x" })));
  });
  return calls;
}

const encodeResults = (results: readonly Result[]): Hex =>
  encodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", result: [...results] });

const buildQuestions = ({ addresses, token, spender, messageHashes }: SnapshotQuestion): Question[] => {
  const { safe, delay, roles } = addresses;
  return [
    ask(deployments.multicall, calldata.blockNumber),
    ask(deployments.multicall, calldata.parentHash),
    ask(deployments.multicall, calldata.timestamp),
    ask(delay, calldata.owners),
    ...(token === null ? [] : buildFundsQuestions({ token, safe, roles, spender, messageHashes })),
  ];
};

function readSnapshot(
  { token, messageHashes }: SnapshotQuestion,
  ofSdk: readonly Result[],
  [blockNumber, parentHash, timestamp, owners, ...ofFunds]: readonly Result[],
): Omit<AccountSnapshot, "readIntegrity"> {
  const funds = token === null ? { balance: 0n, hasRun: [] } : readFunds(ofFunds);
  return {
    block: {
      number: readBigInt(blockNumber?.returnData),
      parentHash: parseHex(parentHash?.returnData ?? ""),
      timestamp: Number(readBigInt(timestamp?.returnData)),
    },
    balance: funds.balance,
    txNonce: readCounter(ofSdk[txNonceIndex]),
    hasRun: new Map(messageHashes.map((hash, index) => [hash, funds.hasRun[index] === true])),
    owners: readOwners(owners),
  };
}

const readCounter = (result: Result | undefined): bigint =>
  result?.success && result.returnData !== "0x" ? readBigInt(result.returnData) : 0n;

/** Null without a Delay module, and for more owners than fit. */
function readOwners(result: Result | undefined): Address[] | null {
  if (!result?.success || result.returnData === "0x") return null;
  const [page] = decodeFunctionResult({ abi: delayAbi, functionName: "getModulesPaginated", data: result.returnData });
  return BigInt(page.length) < ownersPageSize ? [...page] : null;
}
