/** JSON-RPC over HTTP: one request, one answer. Every failure is either the node's or the call's. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { BaseError, http, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem";
import type { Call } from "../call.ts";
import { AnswerLate, ChainUnavailable } from "../errors.ts";
import { findRevert, type NodeError } from "../revert.ts";
import type { Nodes } from "./nodes.ts";
import { buildAnswerLimits } from "./answerLimits.ts";
import { askWithBlock, type RequiredBlock } from "./askWithBlock.ts";
import { parseAnswer, readHex } from "./parseAnswer.ts";

/** The node's answer exceeds the size limit. */
export class AnswerTooLarge extends ChainUnavailable {}

/** The result of one call to the node, for metrics; a revert counts as an answer. */
export type ReportRpc = (report: { method: string; outcome: "answered" | "unavailable"; seconds: number }) => void;

export interface Rpc {
  /**
   * The raw answer. `classify` turns an error of the node into a verdict, or into null if the node itself failed.
   *
   * @param block a node without it gives no answer
   */
  request(
    method: string,
    params: readonly unknown[],
    classify?: (fault: NodeError) => Error | null,
    block?: RequiredBlock,
  ): Promise<unknown>;
  /**
   * The result of a view function at a block; without one at the latest.
   *
   * @param gas the most that the call may use, for code that a user chose; by default as much as the node allows
   * @throws CallReverted
   */
  view(to: Address, data: Hex, block?: bigint, gas?: bigint): Promise<Hex>;
}

export const encodeQuantity = (number: bigint): string => `0x${number.toString(16)}`;

/** The block that a read names; without a number the latest. */
export const encodeBlock = (number: bigint | undefined): string =>
  number === undefined ? "latest" : encodeQuantity(number);

/** A call in the form of JSON-RPC. */
export const encodeCall = ({ from, call }: { from: Address; call: Call }) => ({
  from,
  to: call.to,
  value: `0x${call.value.toString(16)}`,
  data: call.data,
});

interface RpcOptions {
  /** One node, or a comma list. */
  rpcUrl: string;
  timeoutMs: number;
  /** Longest accepted answer; by default enough for the logs of a full block. */
  bodyBytesMax?: number;
  report?: ReportRpc | undefined;
  /** Chooses among several nodes; absent for one. */
  nodes?: Nodes | undefined;
  /**
   * The called code may be slow on purpose. A slow answer then says nothing about the node, and no other node is
   * tried.
   */
  isHostile?: boolean;
}

/** The nodes of a comma list. */
export const splitUrls = (rpcUrl: string): string[] => rpcUrl.split(",").map((url) => url.trim());

export function createRpc(input: RpcOptions): Rpc {
  const { nodes, isHostile = false } = input;
  const urls = splitUrls(input.rpcUrl);
  // The time limit covers all attempts together.
  const timeoutMs = isHostile ? input.timeoutMs : Math.ceil(input.timeoutMs / urls.length);
  const limits = buildAnswerLimits({ timeoutMs, bodyBytesMax: input.bodyBytesMax });
  const createTransport = (url: string) => http(url, { ...limits, retryCount: 0, batch: false })({ retryCount: 0 });
  const transports = new Map(urls.map((url) => [url, createTransport(url)]));
  const requestOnce: Rpc["request"] = async (method, params, classify, block) => {
    for (let triesLeft = urls.length; ; triesLeft--) {
      const url = nodes ? await nodes.pick() : (urls[0] ?? "");
      try {
        const question = { method, params };
        if (block !== undefined) return await askWithBlock(url, limits, { block, question });
        return await (transports.get(url) ?? createTransport(url)).request(question);
      } catch (error) {
        const fault = findNodeError(error);
        // A verdict is the same on every node, and a call that is slow or long on purpose is so on every node. So are logs.
        const isOfCall = fault
          ? isHostile || Boolean(classify?.(fault))
          : isTooLarge(error)
            ? isHostile || method === "eth_getLogs"
            : isHostile && isLate(error);
        if (!nodes || isOfCall || !nodes.leave(url) || triesLeft <= 1) throw error;
      }
    }
  };

  const request: Rpc["request"] = async (method, params, classify, block) => {
    const startedAt = performance.now();
    const report = (outcome: "answered" | "unavailable") =>
      input.report?.({ method, outcome, seconds: (performance.now() - startedAt) / 1000 });
    try {
      const answer = await requestOnce(method, params, classify, block);
      report("answered");
      return answer;
    } catch (error) {
      const fault = findNodeError(error);
      const verdict = fault && classify?.(fault);
      report(verdict ? "answered" : "unavailable");
      throw verdict ?? describeFailure(method, error);
    }
  };
  return {
    request,
    view: async (to, data, block, gas) => {
      const call = { to, data, ...(gas !== undefined && { gas: encodeQuantity(gas) }) };
      const answer = await request("eth_call", [call, encodeBlock(block)], (fault) => findRevert(fault, 0n));
      return parseAnswer("eth_call", () => readHex(answer));
    },
  };
}

function findNodeError(error: unknown): NodeError | null {
  const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : error;
  if (!(answer instanceof RpcRequestError)) return null;
  return { code: answer.code, message: answer.details, data: answer.data };
}

/** Leaves out the node's address, which may contain a key. */
function describeFailure(method: string, error: unknown): ChainUnavailable {
  if (isTooLarge(error)) return new AnswerTooLarge(`${method}: the node's answer is too large`);
  if (isLate(error)) return new AnswerLate(`${method}: the node did not answer in time`);
  const details = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
  return new ChainUnavailable(`${method}: ${details.slice(0, 300)}`);
}

const has = (error: unknown, isOne: (cause: unknown) => boolean): boolean =>
  isOne(error) || (error instanceof BaseError && error.walk(isOne) !== null);
const isTooLarge = (error: unknown): boolean => has(error, (cause) => cause instanceof ResponseBodyTooLargeError);
const isLate = (error: unknown): boolean => has(error, isTimeout);

const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"));
