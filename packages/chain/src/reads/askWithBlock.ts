/** One HTTP request that asks a node for a block and a question: a second request may reach another node. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { HttpRequestError, RpcRequestError } from "viem";
import { getHttpRpcClient, type HttpRpcClientOptions } from "viem/utils";
import { parseAnswer, readBlock, readRecord } from "./parseAnswer.ts";

/** A block that a node has to have for its answer to count; with a hash that very one. */
export interface RequiredBlock {
  number: bigint;
  hash?: Hex;
}

interface Question {
  method: string;
  params: readonly unknown[];
}

/**
 * The raw answer of a node that has the block, in the quantities of JSON-RPC. A node that lacks it would leave out what it does
 * not know, as logs of newer blocks. One of another chain, or of a fork, has another block of that number.
 *
 * A node that takes no batches is asked one after the other; then a balancer may still choose another node for the second.
 * A node that only refuses now, as for too many calls, takes batches: it is asked for both together again.
 * @throws Error where the node lacks the block or has another one of its number, RpcRequestError and HttpRequestError where it refuses
 */
export async function askWithBlock(
  url: string,
  options: HttpRpcClientOptions,
  { block, question }: { block: RequiredBlock; question: Question },
): Promise<unknown> {
  const number = `0x${block.number.toString(16)}`;
  const client = getHttpRpcClient(url, options);
  // The block comes first: what a node had before it answered is in the answer.
  const asked: readonly Question[] = [{ method: "eth_getBlockByNumber", params: [number, false] }, question];
  const body = asked.map((each, index) => ({ ...each, id: index + 1 }));
  const readAnswer = (answer: unknown): unknown => {
    const { error, result } = parseAnswer(question.method, () => readRecord(answer));
    if (error !== undefined) throw new RpcRequestError({ body: { ...question }, error: readError(error), url });
    return result;
  };
  const askEach = async (): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (const each of body) results.push(readAnswer(await client.request({ body: each })));
    return results;
  };
  const answers: unknown = await client.request({ body }).catch(takeNoBatch);
  const [found, wanted] = isBatch(answers)
    ? body.map(({ id }) => readAnswer(answers.find((each) => each["id"] === id)))
    : refusesBatches(answers)
      ? await askEach()
      : [readAnswer(answers)];
  if (found == null) throw new Error(`The node lacks block ${number}`);
  if (block.hash !== undefined && parseAnswer(question.method, () => readBlock(found)).hash !== block.hash)
    throw new Error(`The node has another block ${number}`);
  return wanted;
}

/** How HTTP refuses the kind of a request; every other status says nothing about batches. */
const batchStatuses: readonly number[] = [400, 404, 405, 413, 415, 501];
/** How JSON-RPC does: no valid request, no such method, and, of a node that reads one request alone, no JSON. */
const batchCodes: readonly unknown[] = [-32600, -32601, -32700];

/** The answer of a node that refuses batches by the status of HTTP: none. */
function takeNoBatch(error: unknown): null {
  if (error instanceof HttpRequestError && batchStatuses.includes(error.status ?? 0)) return null;
  throw error;
}

function refusesBatches(answer: unknown): boolean {
  if (answer === null) return true;
  const { error } = parseAnswer("batch", () => readRecord(answer));
  return error !== undefined && batchCodes.includes(readError(error).code);
}

const isBatch = (answer: unknown): answer is Readonly<Record<string, unknown>>[] => Array.isArray(answer);

function readError(error: unknown) {
  const { code, message, data } = readRecord(error);
  return { code: Number(code), message: String(message), data };
}
