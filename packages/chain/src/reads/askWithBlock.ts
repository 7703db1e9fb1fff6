/** One HTTP request that asks a node for a block and a question: a second request may reach another node. */
import { RpcRequestError } from "viem";
import { getHttpRpcClient, type HttpRpcClientOptions } from "viem/utils";
import { parseAnswer, readRecord } from "./parseAnswer.ts";

interface Question {
  method: string;
  params: readonly unknown[];
}

/**
 * The raw answer of a node that has the block, in the quantities of JSON-RPC. A node that lacks it would leave out what it does
 * not know, as logs of newer blocks.
 *
 * @throws Error where the node lacks the block, RpcRequestError where it refuses
 */
export async function askWithBlock(
  url: string,
  options: HttpRpcClientOptions,
  { block, question }: { block: string; question: Question },
): Promise<unknown> {
  // The block comes first: what a node had before it answered is in the answer.
  const asked: readonly Question[] = [{ method: "eth_getBlockByNumber", params: [block, false] }, question];
  const body = asked.map((each, index) => ({ ...each, id: index + 1 }));
  const answer: unknown = await getHttpRpcClient(url, options).request({ body });
  // A node that refuses the whole request gives one answer.
  const answers = parseAnswer(question.method, () => [answer].flat().map(readRecord));
  const refused = answers.find(({ error }) => error !== undefined);
  if (refused) throw new RpcRequestError({ body: { ...question }, error: readError(refused), url });
  const [found, wanted] = body.map((each) => answers.find(({ id }) => id === each.id));
  if (!found || !wanted) throw new Error("The node does not answer two questions in one request");
  if (found["result"] == null) throw new Error(`The node lacks block ${block}`);
  return wanted["result"];
}

function readError({ error }: Readonly<Record<string, unknown>>) {
  const { code, message, data } = readRecord(error);
  return { code: Number(code), message: String(message), data };
}
