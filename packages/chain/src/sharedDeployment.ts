/** Deployments of several accounts in one transaction. */
import { encodeFunctionData, parseAbi } from "viem";
import type { Call } from "./call.ts";
import { buildMulticall } from "./multicall.ts";
import type { AccountAddresses } from "./predictAccount.ts";

/**
 * Every contract of an account refuses this call from a stranger, at once and cheaply: the Safe by `GS031`, the others
 * because they do not know it. An address without code accepts it.
 */
const refusedByCode = encodeFunctionData({
  abi: parseAbi(["function changeThreshold(uint256 threshold)"]),
  args: [1n],
});

/**
 * One call for the deployments of accounts of which no part exists yet. With `allowFailure` one that the chain refuses does
 * not stop the others.
 *
 * Creating a contract that exists burns 63 of 64 parts of the gas that is left, also that of the accounts behind it. A
 * stranger may deploy a part just before this transaction. So an account's deployment ends before that if a part has code.
 * Source: EIP-684, EIP-150.
 */
export function buildSharedDeployment(
  accounts: readonly { addresses: AccountAddresses; deployment: Call }[],
  { allowFailure = false } = {},
): Call {
  const calls = accounts.map(({ addresses: { safe, delay, roles, bouncer }, deployment }) => {
    const proofs = [safe, delay, roles, bouncer].map((to) => ({ to, data: refusedByCode }));
    return buildMulticall([...proofs, deployment]);
  });
  return buildMulticall(calls, { allowFailure });
}
