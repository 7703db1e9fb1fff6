/**
 * Batches: which operations one transaction enqueues together.
 *
 * - lane: the operations of one relayer, of each person in turn. - batch: the first of a lane.
 */
import { isSignedByKey } from "@cardkeep/chain/delay";
import { buildMulticall, parseMulticall } from "@cardkeep/chain/multicall";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { listToEnqueue, type ToEnqueue } from "@cardkeep/db/queries/accounts/delays/enqueues";
import type { WorkerContext } from "../../core/context.ts";
import type { PickRelayer } from "../../chain/relay/pickRelayer.ts";

/** Together they cost a sixth of a block on Gnosis Chain. */
export const batchMax = 25;
const lookMax = 200;
/** Contract signatures run code of unknown cost, and a refused operation has to be tried alone. */
export const canShareEnqueue = ({ isNew, enqueueData }: ToEnqueue): boolean => isNew && isSignedByKey(enqueueData);

/**
 * The batch of a lane: operations that one transaction may enqueue together. The first of each person come before any second
 * one, each in the order of their acceptance; people in `held` wait.
 */
export async function gatherLane(
  ctx: WorkerContext,
  pick: PickRelayer,
  { relayer, held }: { relayer: RelayerKey; held: ReadonlyMap<string, Date> },
): Promise<ToEnqueue[]> {
  const waiting = await listToEnqueue(ctx.db, { countMax: lookMax });
  const kept = new Set<string>();
  const travelling = waiting.filter((each) => {
    if (pick(each.safeId) !== relayer) return false;
    // Operations of a Safe keep their order.
    if (!canShareEnqueue(each) || held.has(each.userId)) kept.add(each.safeId);
    return !kept.has(each.safeId);
  });
  return travelling.slice(0, batchMax);
}

/** Splits a batch into operations that the chain would accept now and those that it would refuse. */
export async function leaveRefused(
  ctx: WorkerContext,
  { address: from }: RelayerKey,
  batch: readonly ToEnqueue[],
): Promise<{ accepted: ToEnqueue[]; refused: ToEnqueue[] }> {
  const calls = batch.map(({ delayAddress, enqueueData }) => ({ to: delayAddress, data: enqueueData }));
  const call = buildMulticall(calls, { allowFailure: true });
  const answer = await ctx.chain.simulate({ from, call });
  const isAccepted = parseMulticall(answer);
  return {
    accepted: batch.filter((_, place) => isAccepted[place]),
    refused: batch.filter((_, place) => !isAccepted[place]),
  };
}
