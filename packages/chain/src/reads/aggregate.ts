import { decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { multicallAbi } from "../abis.ts";
import { deployments } from "../deployments.ts";
import type { Rpc } from "./rpc.ts";
import type { Question, Result } from "./spending.ts";
import { parseAnswer } from "./parseAnswer.ts";

/**
 * Sends several reads in one request, all at one block, and returns the answers in order.
 * @throws ChainUnavailable, CallReverted
 */
export async function requestAll(rpc: Rpc, questions: readonly Question[]): Promise<readonly Result[]> {
  const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [questions] });
  const answer = await rpc.view(deployments.multicall, data);
  return parseAnswer("aggregate3", () => decodeResults(answer));
}

/** The results of a multicall. */
export const decodeResults = (data: Hex): readonly Result[] =>
  decodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", data });
