/** Several calls in one transaction through Multicall3, which is then their sender. Source: multicall3.com. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { multicallAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { deployments } from "./deployments.ts";

/** Calls in their order. With `allowFailure` a call that reverts is skipped; without it, all of them revert. */
export function buildMulticall(calls: readonly Pick<Call, "to" | "data">[], { allowFailure = false } = {}): Call {
  const args = calls.map(({ to, data }) => ({ target: to, allowFailure, callData: data }));
  return {
    to: deployments.multicall,
    value: 0n,
    data: encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [args] }),
  };
}

/** Whether each call of a multicall with `allowFailure` succeeded, in their order, from its returned data. */
export const parseMulticall = (data: Hex): boolean[] =>
  decodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", data }).map(({ success }) => success);
