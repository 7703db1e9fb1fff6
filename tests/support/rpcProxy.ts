/** A proxy before the chain's RPC: a test can change single calls or all of them. */
import { answerStale, type RpcCall } from "@cardkeep/sandbox/faults/staleNode";

type Interceptor = (forward: () => Promise<Response>, call: RpcCall) => Promise<Response | null>;

/**
 * The fate of every call: normal, never answered, answered without an end, connection dropped, nonsense, rate limited,
 * forwarded with the answer of a broadcast lost, no transaction known by its hash, no logs, answered late, or answered by a node that stands still at a
 * block, and refused by a node where it has more logs. Of calls in one request the last one is counted and intercepted.
 */
export type RpcMood =
  | "fine"
  | "hang"
  | "endless"
  | "refuse"
  | "garbage"
  | "tooMany"
  | "loseBroadcasts"
  | "withoutReceipts"
  | "withoutLogs"
  | { staleAt: bigint }
  | { lateMs: number }
  | { logsMax: number };

export interface RpcProxy {
  readonly url: string;
  mood: RpcMood;
  /** The number of calls so far, of all methods or of one. */
  readonly calls: number;
  /** The number of calls of one method. */
  countOf(method: string): number;
  /** The next call of this method goes to `interceptor`; null drops the connection without an answer. */
  intercept(method: string, interceptor: Interceptor): void;
  stop(): void;
}

/** A machine that vanishes after the headers of an answer leaves no more. */
const endlessStart = new TextEncoder().encode('{"jsonrpc":');
const dropped = () => new Response(null, { status: 502 });

export function startRpcProxy(target: string): RpcProxy {
  const interceptors = new Map<string, Interceptor>();
  let calls = 0;
  const methods = new Map<string, number>();
  const ask = (call: RpcCall) =>
    fetch(target, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(call) });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const asked: RpcCall | RpcCall[] = JSON.parse(await request.text());
      const [call, ...others] = [asked].flat().reverse();
      if (!call) return dropped();
      calls++;
      methods.set(call.method, (methods.get(call.method) ?? 0) + 1);
      const interceptor = interceptors.get(call.method);
      interceptors.delete(call.method);
      const answer = interceptor ? await interceptor(() => ask(call), call) : await answerBy(proxy.mood, call, ask);
      if (!answer?.ok || !Array.isArray(asked)) return answer ?? dropped();
      return joinAnswers([answer, ...(await Promise.all(others.map((each) => answerBy(proxy.mood, each, ask))))]);
    },
  });
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${server.port}`,
    mood: "fine",
    get calls() {
      return calls;
    },
    countOf: (method) => methods.get(method) ?? 0,
    intercept: (method, interceptor) => void interceptors.set(method, interceptor),
    stop: () => void server.stop(true),
  };
  return proxy;
}

async function joinAnswers(answers: readonly (Response | null)[]): Promise<Response> {
  const texts = await Promise.all(answers.map((answer) => answer?.text()));
  return texts.includes(undefined) ? dropped() : new Response(`[${texts.join()}]`);
}

async function refuseMany(logsMax: number, { id, method }: RpcCall, answer: Response): Promise<Response> {
  if (method !== "eth_getLogs") return answer;
  const body = (await answer.json()) as { result?: readonly unknown[] };
  const error = { code: -32005, message: `query returned more than ${logsMax} results` };
  return Response.json((body.result?.length ?? 0) > logsMax ? { jsonrpc: "2.0", id, error } : body);
}

async function answerBy(
  mood: RpcMood,
  call: RpcCall,
  ask: (call: RpcCall) => Promise<Response>,
): Promise<Response | null> {
  if (typeof mood === "object" && "lateMs" in mood) return Bun.sleep(mood.lateMs).then(() => ask(call));
  if (typeof mood === "object" && "logsMax" in mood) return refuseMany(mood.logsMax, call, await ask(call));
  if (typeof mood === "object") return answerStale(mood.staleAt, call, ask);
  if (mood === "hang") return Bun.sleep(60_000).then(() => null);
  if (mood === "endless") return new Response(new ReadableStream({ start: (body) => body.enqueue(endlessStart) }));
  if (mood === "refuse") return null;
  if (mood === "garbage") return new Response('{"jsonrpc":"2.0","id":1,"result":"no');
  if (mood === "tooMany") return new Response("slow down", { status: 429, headers: { "Retry-After": "1" } });
  if (mood === "withoutReceipts" && /^eth_getTransaction(Receipt|ByHash)$/.test(call.method))
    return Response.json({ jsonrpc: "2.0", id: call.id, result: null });
  if (mood === "withoutLogs" && call.method === "eth_getLogs")
    return Response.json({ jsonrpc: "2.0", id: call.id, result: [] });
  const answer = await ask(call);
  return mood === "loseBroadcasts" && call.method === "eth_sendRawTransaction" ? null : answer;
}
