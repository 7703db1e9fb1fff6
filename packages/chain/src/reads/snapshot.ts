/** One request for an account in the form of the API. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { delayAbi, multicallAbi } from "../abis.ts";
import { deployments, sentinelAddress } from "../deployments.ts";
import { parseHex } from "../hex.ts";
import type { AccountIntegrity, AccountSnapshot, SnapshotQuestion } from "../accountState.ts";
import type { ChainReader } from "../port.ts";
import { ownersPageSize } from "./account.ts";
import { requestAccount } from "./aggregate.ts";
import { buildIntegrityQuestions, integrityQuestionsCount, readAccountIntegrity, readCounter } from "./integrity.ts";
import type { Rpc } from "./rpc.ts";
import type { Question, Result } from "./encodeQuestions.ts";
import { buildFundsQuestions, readFunds } from "./spending.ts";
import { parseAnswer, readBigInt } from "./parseAnswer.ts";

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

export function createSnapshotReads(rpc: Rpc): Pick<ChainReader, "getAccountSnapshot"> {
  return {
    getAccountSnapshot: async (question) => {
      const results = await requestAccount(rpc, question.addresses.safe, [
        ...buildIntegrityQuestions(question.addresses),
        ...buildQuestions(question),
      ]);
      const [ofAccount, others] = [results.slice(0, integrityQuestionsCount), results.slice(integrityQuestionsCount)];
      let integrity: Promise<AccountIntegrity> | null = null;
      return {
        ...parseAnswer("getAccountSnapshot", () => readSnapshot(question, ofAccount, others)),
        // All requests that share the snapshot share it.
        readIntegrity: () => (integrity ??= readAccountIntegrity(question, ofAccount)),
      };
    },
  };
}

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
  [, , , , , , , txNonce]: readonly Result[],
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
    txNonce: readCounter(txNonce),
    hasRun: new Map(messageHashes.map((hash, index) => [hash, funds.hasRun[index] === true])),
    owners: readOwners(owners),
  };
}

/** Null without a Delay module, and for more owners than fit. */
function readOwners(result: Result | undefined): Address[] | null {
  if (!result?.success || result.returnData === "0x") return null;
  const [page] = decodeFunctionResult({ abi: delayAbi, functionName: "getModulesPaginated", data: result.returnData });
  return BigInt(page.length) < ownersPageSize ? [...page] : null;
}
