import type { Address } from "@cardkeep/contract/primitives";
import { encodeFunctionData } from "viem";
import { delayAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { sentinelAddress } from "./deployments.ts";

/** The call by which a Safe lets another wallet move its funds. */
export function buildAddOwner(delay: Address, newOwner: Address): Call {
  return {
    to: delay,
    value: 0n,
    data: encodeFunctionData({ abi: delayAbi, functionName: "enableModule", args: [newOwner] }),
  };
}

/**
 * The call by which a Safe shuts an owner out; `owners` is the whole list in the chain's order.
 *
 * It names the owner before it in the list, so it fails once the list has changed there.
 *
 * @throws Error when `owner` is not in the list
 */
export function buildRemoveOwner(input: { delay: Address; owners: readonly Address[]; owner: Address }): Call {
  const { delay, owners, owner } = input;
  const index = owners.indexOf(owner);
  if (index < 0) throw new Error(`${owner} is not an owner on ${delay}`);
  const previous = owners[index - 1] ?? sentinelAddress;
  return {
    to: delay,
    value: 0n,
    data: encodeFunctionData({ abi: delayAbi, functionName: "disableModule", args: [previous, owner] }),
  };
}
