/** The way from the service to the local chain's node, at `/node`. Faults of the node are applied here. */
import { splitUrls } from "@cardkeep/chain/reads/rpc";
import { isHex, keccak256 } from "viem";
import { z } from "zod";
import { answerUnavailable } from "./partnerFaults.ts";
import { answerStale, type RpcCall } from "./staleNode.ts";
import { activeFaultsOf } from "./activeFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

export const nodePath = "/node";

const rpcCall = z.object({ jsonrpc: z.string(), id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
const rpcCalls = z.union([rpcCall, z.array(rpcCall)]);
const blockNumber = z.object({ result: z.string().transform(BigInt) });

/** Answers one request to the node: without a fault, as the node answers it. */
export async function answerNode(runtime: SandboxRuntime, request: Request): Promise<Response> {
  const [url = ""] = splitUrls(runtime.settings.rpcUrl ?? "");
  const text = await request.text();
  const send = (body: string) => forward(url, body);
  if (!activeFaultsOf(runtime).isAnyOn("node.")) return send(text);
  const asked = parseCalls(text);
  if (asked === null) return send(text);
  const answers = await Promise.all([asked].flat().map((call) => answerCall(runtime, call, { request, send })));
  const [first] = answers;
  if (first && !Array.isArray(asked)) return first;
  const failed = answers.find(({ ok }) => !ok);
  return failed ?? Response.json(await Promise.all(answers.map((answer) => answer.json())));
}

async function forward(url: string, body: string): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body }).catch(() => null);
  return answer === null ? answerUnavailable() : new Response(answer.body, { status: answer.status, headers });
}

function parseCalls(text: string): RpcCall | RpcCall[] | null {
  try {
    return rpcCalls.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function answerCall(
  runtime: SandboxRuntime,
  call: RpcCall,
  { request, send }: { request: Request; send(body: string): Promise<Response> },
): Promise<Response> {
  const faults = activeFaultsOf(runtime);
  const ask = (asked: RpcCall) => send(JSON.stringify({ jsonrpc: "2.0", ...asked }));
  if (faults.hit("node.down", call.method)) return answerUnavailable();
  if (faults.hit("node.hang", call.method)) {
    await faults.waitUntilOff("node.hang", request.signal);
    if (request.signal.aborted) return answerUnavailable();
  }
  const slow = faults.hit("node.slow", call.method);
  if (slow) await Bun.sleep(slow.ms);
  const [transaction] = call.params;
  const isBroadcast = call.method === "eth_sendRawTransaction" && isHex(transaction);
  if (isBroadcast && faults.hit("node.drop", call.method))
    return Response.json({ jsonrpc: "2.0", id: call.id, result: keccak256(transaction) });
  const stale = faults.hit("node.stale", call.method);
  if (!stale) return ask(call);
  const head = await ask({ id: 1, method: "eth_blockNumber", params: [] });
  const { result } = blockNumber.parse(await head.json());
  const behind = BigInt(stale.blocks);
  return answerStale(result > behind ? result - behind : 0n, call, ask);
}
