/** The set-up of an account: one Safe transaction of many steps, signed by the Safe's creator. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { encodeFunctionData, getAddress, isAddressEqual, slice } from "viem";
import { multiSendAbi } from "./abis.ts";
import type { AccountConfig } from "./accountConfig.ts";
import type { Call } from "./call.ts";
import { deployments } from "./deployments.ts";
import { packSteps } from "./packSteps.ts";
import { predictModules } from "./predictAccount.ts";
import { buildSafeTypedData, type SafeTypedData } from "./safeTransaction.ts";
import { listSetUpSteps } from "./listSetUpSteps.ts";

/**
 * A Safe is set up by its very first transaction. An earlier transaction could have granted rights that no query
 * shows, such as token approvals, and could have set the nonce back: `safeHistory.ts` says what proves that there was none.
 */
const setUpNonce = 0;

/**
 * The message of the Safe's owner `creator` that sets the account up and hands it over to `owners`.
 *
 * The steps are the SDK's, without the deployment of existing parts.
 * @throws Error without owners
 */
export async function buildSetUp(input: {
  safe: Address;
  creator: Address;
  chainId: number;
  owners: readonly Address[];
  config: AccountConfig;
  present: { delay: boolean; roles: boolean; bouncer: boolean };
}): Promise<SafeTypedData> {
  const { safe, chainId, present } = input;
  // Otherwise the SDK would make the creator an owner.
  if (input.owners.length === 0) throw new Error("An account needs an owner");
  const steps = await listSetUpSteps({
    addresses: { safe, ...predictModules(safe) },
    creator: input.creator,
    // The SDK names each owner once.
    owners: [...new Set(input.owners.map((owner) => getAddress(owner)))],
    config: input.config,
  });
  const missing = steps.filter((step) => !deploysPresent(step, present));
  const data = encodeFunctionData({ abi: multiSendAbi, functionName: "multiSend", args: [packSteps(missing)] });
  return buildSafeTypedData({
    safe,
    chainId,
    nonce: setUpNonce,
    to: deployments.multiSend,
    data,
    operation: "DELEGATECALL",
  });
}

function deploysPresent(step: Call, present: { delay: boolean; roles: boolean; bouncer: boolean }): boolean {
  if (isAddressEqual(step.to, deployments.singletonFactory)) return present.bouncer;
  if (!isAddressEqual(step.to, deployments.moduleProxyFactory)) return false;
  // The first argument of `deployModule` is the mastercopy, in the last 20 bytes of its word.
  const mastercopy = slice(step.data, 4 + 12, 4 + 32);
  return isAddressEqual(mastercopy, deployments.delayMastercopy) ? present.delay : present.roles;
}
