/** The answers of a node that has not seen the newest blocks. */

/** One call of JSON-RPC. */
export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Placed {
  readonly blockNumber?: string | null;
  readonly number?: string;
}

const isNow = (value: unknown): boolean => value === "latest" || value === "pending";

/** The answer of a node whose newest block is `newest`; `ask` reaches the real node. */
export async function answerStale(
  newest: bigint,
  call: RpcCall,
  ask: (call: RpcCall) => Promise<Response>,
): Promise<Response> {
  const block = `0x${newest.toString(16)}`;
  if (call.method === "eth_blockNumber") return Response.json({ jsonrpc: "2.0", id: call.id, result: block });
  const answer = await ask({ ...call, params: call.params.map((value) => (isNow(value) ? block : value)) });
  if (call.method === "eth_getLogs") return leaveOutNewer(newest, answer);
  if (call.method !== "eth_getTransactionReceipt" && call.method !== "eth_getBlockByNumber") return answer;
  const body = (await answer.json()) as { result?: Placed | null };
  const number = body.result?.blockNumber ?? body.result?.number;
  const isUnseen = typeof number === "string" && BigInt(number) > newest;
  return Response.json(isUnseen ? { ...body, result: null } : body);
}

async function leaveOutNewer(newest: bigint, answer: Response): Promise<Response> {
  const body = (await answer.json()) as { result?: readonly Placed[] };
  const logs = body.result?.filter(
    ({ blockNumber }) => typeof blockNumber !== "string" || BigInt(blockNumber) <= newest,
  );
  return Response.json({ ...body, ...(logs && { result: logs }) });
}
