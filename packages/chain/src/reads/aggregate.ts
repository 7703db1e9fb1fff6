import { deployments } from "../deployments.ts";
import { decodeResults, encodeQuestions, type Question, type Result } from "./encodeQuestions.ts";
import type { Rpc } from "./rpc.ts";
import { parseAnswer } from "./parseAnswer.ts";

/**
 * Sends several reads in one request, all at one block, by default the latest, and returns the answers in order.
 * @throws ChainUnavailable, CallReverted
 */
export async function requestAll(rpc: Rpc, questions: readonly Question[], block?: bigint): Promise<readonly Result[]> {
  const answer = await rpc.view(deployments.multicall, encodeQuestions(questions), block);
  return parseAnswer("aggregate3", () => decodeResults(answer));
}
