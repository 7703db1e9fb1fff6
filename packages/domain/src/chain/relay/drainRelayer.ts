/** Takes a relayer out of service, and back in. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import { lockLanes, moveLane } from "@cardkeep/db/queries/chain/relay/laneStates";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { LaneState } from "@cardkeep/contract/chain/lanes";
import type { Act, OperatorContext } from "../../core/context.ts";

/** A relayer and what its lane does now. */
export interface RelayerState {
  address: Address;
  state: LaneState;
}

/**
 * Ends new transactions of a relayer. Those with a reserved nonce are sent and replaced until they are mined; then a job
 * retires the lane, and its key can leave the settings. Safes of this lane use the other ones from now on.
 *
 * @throws relayers.not_found, relayers.last_active
 */
export async function drainRelayer(ctx: OperatorContext, { address }: { address: Address }): Promise<RelayerState> {
  await requireRelayer(ctx, address);
  const { relayerAddresses } = ctx.policy;
  return ctx.act("relayers.drain", async ({ tx, requestId }) => {
    // All of them, so that two operators cannot each drain one of the last two.
    const states = await lockLanes(tx, [...new Set([...relayerAddresses, address])]);
    const state = states.get(address) ?? "ACTIVE";
    if (state !== "ACTIVE") return describeMove(address, state, state);
    if (!relayerAddresses.some((other) => other !== address && states.get(other) === "ACTIVE"))
      fail("relayers.last_active");
    await moveLane(tx, address, "DRAINING");
    await enqueue(tx, "relayer.retire", { relayer: address, requestId });
    return describeMove(address, state, "DRAINING");
  });
}

/** Lets a relayer take new transactions again, whether it still drains or is retired. @throws relayers.not_found */
export async function undrainRelayer(ctx: OperatorContext, { address }: { address: Address }): Promise<RelayerState> {
  if (!ctx.policy.relayerAddresses.includes(address)) fail("relayers.not_found");
  return ctx.act("relayers.undrain", async ({ tx }) => {
    const states = await lockLanes(tx, [address]);
    await moveLane(tx, address, "ACTIVE");
    return describeMove(address, states.get(address) ?? "ACTIVE", "ACTIVE");
  });
}

const describeMove = (address: Address, from: LaneState, state: LaneState): Act<RelayerState> => ({
  output: { address, state },
  subject: { kind: "relayer", id: address },
  before: { state: from },
  after: { state },
});

/** A lane whose key has left the settings counts as a relayer; it drains as far as its transactions are signed. */
async function requireRelayer({ db, policy }: OperatorContext, address: Address): Promise<void> {
  // These lanes have no substitute, whether or not their key is a relayer's too.
  const accounts = [policy.topUpAddress, policy.settlementAddress, policy.treasuryAddress];
  const alone = [policy.spenderAddress, ...policy.formerSpenderAddresses, ...accounts];
  if (alone.includes(address)) fail("relayers.not_found", { text: "Only a relayer can be drained" });
  if (policy.relayerAddresses.includes(address)) return;
  if (!(await listRelayerLanes(db)).some((lane) => lane.address === address)) fail("relayers.not_found");
}
