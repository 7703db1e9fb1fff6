/** A stranger who knows an account's future address and deploys its contracts before the service does. */
import { buildCreation } from "@cardkeep/chain/account";
import type { Call } from "@cardkeep/chain/call";
import { deployments } from "@cardkeep/chain/deployments";
import { buildSetUp } from "@cardkeep/chain/setup";
import { unpackSteps } from "@cardkeep/chain/packSteps";
import { tokens } from "@cardkeep/chain/tokens";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { decodeFunctionData, parseAbi } from "viem";
import type { openNode } from "./node.ts";
import type { RunningService } from "./service.ts";

const multiSendAbi = parseAbi(["function multiSend(bytes transactions)"]);

export type Part = "safe" | "delay" | "roles" | "bouncer";

/** The calls that deploy each part of an account, as anyone can copy them from a set-up; none needs a right. */
async function listPartCalls(service: RunningService, safe: Safe): Promise<Record<Part, Call>> {
  const { operatorAddress, spenderAddress, settlementAddress, chainId } = service.runtime.services.policy;
  const creator = safe.setUpBy === "operator" ? operatorAddress : safe.firstOwner;
  const { message } = await buildSetUp({
    safe: safe.address,
    creator,
    chainId,
    owners: [safe.firstOwner],
    config: {
      token: tokens.EURe.address,
      dailyLimit: 1n,
      periodSeconds: 1,
      allowanceStartsAt: 0,
      cooldownSeconds: 180,
      expirationSeconds: 1_800,
      spender: spenderAddress,
      settlement: settlementAddress,
    },
    present: { delay: false, roles: false, bouncer: false },
  });
  const steps = unpackSteps(decodeFunctionData({ abi: multiSendAbi, data: message.data }).args[0]);
  const [delay, roles] = steps.filter(({ to }) => to === deployments.moduleProxyFactory);
  const bouncer = steps.find(({ to }) => to === deployments.singletonFactory);
  if (!delay || !roles || !bouncer) throw new Error("Expected three deployments");
  return { safe: buildCreation({ creator, saltNonce: safe.saltNonce }), delay, roles, bouncer };
}

/** Lets the stranger deploy these parts of an account. */
export async function deployParts(
  service: RunningService,
  node: ReturnType<typeof openNode>,
  safe: Safe,
  parts: readonly Part[],
): Promise<void> {
  const calls = await listPartCalls(service, safe);
  for (const part of parts) await node.send(calls[part]);
}
