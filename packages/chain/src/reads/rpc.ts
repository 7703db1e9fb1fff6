/** JSON-RPC over HTTP: one question, one answer, and every failure sorted by whose it is. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { BaseError, http, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem";
import type { Call } from "../call.ts";
import { ChainUnavailable } from "../errors.ts";
import { judgeCall, type NodeFault } from "../revert.ts";
import { parseAnswer, readHex } from "./wire.ts";

/** The node took longer than it was given. */
export class AnswerLate extends ChainUnavailable {}

/** The node's answer is longer than is read. */
export class AnswerTooLarge extends ChainUnavailable {}

/** How one call to the node went, for whoever measures; a revert is an answer. */
export type ReportRpc = (report: { method: string; outcome: "answered" | "unavailable"; seconds: number }) => void;

export interface Rpc {
  /** An answer as it came; `judge` turns an error of the node into a verdict, or into null where the node failed. */
  request(method: string, params: readonly unknown[], judge?: (fault: NodeFault) => Error | null): Promise<unknown>;
  /** What a view function returns at the latest block. @throws CallReverted */
  view(to: Address, data: Hex): Promise<Hex>;
}

export const encodeQuantity = (number: bigint): string => `0x${number.toString(16)}`;

/** A call as JSON-RPC takes it. */
export const encodeCall = ({ from, call }: { from: Address; call: Call }) => ({
  from,
  to: call.to,
  value: `0x${call.value.toString(16)}`,
  data: call.data,
});

/** @param input.bodyBytesMax longest answer that is read; by default enough for the logs of a full block */
export function createRpc(input: {
  rpcUrl: string;
  timeoutMs: number;
  bodyBytesMax?: number;
  report?: ReportRpc | undefined;
}): Rpc {
  const transport = http(input.rpcUrl, {
    retryCount: 0,
    timeout: input.timeoutMs,
    batch: false,
    maxResponseBodySize: input.bodyBytesMax ?? 64 * 1024 * 1024,
    // The transport's own timeout ends with the headers: a body that trickles in would be waited for without end.
    fetchFn: (url, init) =>
      fetch(url, { ...init, signal: joinSignals(init?.signal, AbortSignal.timeout(input.timeoutMs)) }),
  })({ retryCount: 0 });

  const request: Rpc["request"] = async (method, params, judge) => {
    const startedAt = performance.now();
    const report = (outcome: "answered" | "unavailable") =>
      input.report?.({ method, outcome, seconds: (performance.now() - startedAt) / 1000 });
    try {
      const answer = await transport.request({ method, params });
      report("answered");
      return answer;
    } catch (error) {
      const fault = findFault(error);
      const verdict = fault && judge?.(fault);
      report(verdict ? "answered" : "unavailable");
      throw verdict ?? describeFailure(method, error);
    }
  };
  return {
    request,
    view: async (to, data) => {
      const answer = await request("eth_call", [{ to, data }, "latest"], (fault) => judgeCall(fault, 0n));
      return parseAnswer("eth_call", () => readHex(answer));
    },
  };
}

const joinSignals = (given: AbortSignal | null | undefined, own: AbortSignal): AbortSignal =>
  given ? AbortSignal.any([given, own]) : own;

function findFault(error: unknown): NodeFault | null {
  const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : error;
  if (!(answer instanceof RpcRequestError)) return null;
  return { code: answer.code, message: answer.details, data: answer.data };
}

/** Says nothing of the node's address, which may hold a key. */
function describeFailure(method: string, error: unknown): ChainUnavailable {
  const has = (isOne: (cause: unknown) => boolean) =>
    isOne(error) || (error instanceof BaseError && error.walk(isOne) !== null);
  if (has((cause) => cause instanceof ResponseBodyTooLargeError)) {
    return new AnswerTooLarge(`${method}: the node's answer is too large`);
  }
  if (has(isTimeout)) return new AnswerLate(`${method}: the node did not answer in time`);
  const details = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
  return new ChainUnavailable(`${method}: ${details.slice(0, 300)}`);
}

const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"));
