/** Several calls in one transaction through Multicall3, whose sender is then that contract. Source: multicall3.com. */
import type { Hex } from "@cardkeep/contract/primitives";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { multicallAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { deployments } from "./deployments.ts";

/** Calls in their order. With `allowFailure` one that reverts is left out; without, all of them revert with it. */
export function buildMulticall(calls: readonly Pick<Call, "to" | "data">[], { allowFailure = false } = {}): Call {
  const args = calls.map(({ to, data }) => ({ target: to, allowFailure, callData: data }));
  return {
    to: deployments.multicall,
    value: 0n,
    data: encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [args] }),
  };
}

/** Whether each call of a multicall that allowed failure succeeded, in their order, from what it returned. */
export const parseMulticall = (data: Hex): boolean[] =>
  decodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", data }).map(({ success }) => success);
