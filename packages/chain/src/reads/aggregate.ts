import type { Address } from "@cardkeep/contract/core/primitives";
import { deployments } from "../deployments.ts";
import { CallReverted } from "../errors.ts";
import { decodeResults, encodeQuestions, type Question, type Result } from "./encodeQuestions.ts";
import type { Rpc } from "./rpc.ts";
import { parseAnswer } from "./parseAnswer.ts";

/**
 * Sends several reads in one request, all at one block, by default the latest, and returns the answers in order.
 * @throws ChainUnavailable, CallReverted
 */
export async function requestAll(rpc: Rpc, questions: readonly Question[], block?: bigint): Promise<readonly Result[]> {
  const answer = await rpc.view(deployments.multicall, encodeQuestions(questions), block);
  return parseAnswer("aggregate3", () => {
    const results = decodeResults(answer);
    if (results.length !== questions.length) throw new Error("expected an answer to each question");
    return results;
  });
}

/**
 * As `requestAll`, for questions about an account. Its owner may have given the Safe any code, which may burn the request's gas.
 *
 * So the Safe's questions come last, and take no gas from the others. Where the request still fails, it is sent once more
 * without them, and they count as failed.
 * @throws ChainUnavailable, CallReverted
 */
export async function requestAccount(
  rpc: Rpc,
  safe: Address,
  questions: readonly Question[],
): Promise<readonly Result[]> {
  const ofSafe = questions.filter(({ target }) => target === safe);
  const others = questions.filter(({ target }) => target !== safe);
  const results = await requestAll(rpc, [...others, ...ofSafe]).catch(async (error: unknown) => {
    if (!(error instanceof CallReverted)) throw error;
    return requestAll(rpc, others);
  });
  const [ofOthers, fromSafe] = [results.slice(0, others.length).values(), results.slice(others.length).values()];
  return questions.map(({ target }) => (target === safe ? fromSafe : ofOthers).next().value ?? unanswered);
}

const unanswered: Result = { success: false, returnData: "0x" };
