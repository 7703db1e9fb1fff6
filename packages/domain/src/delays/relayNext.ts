/**
 * From accepted to on its way to the chain.
 *
 * An operation's enqueue is the same whoever sends it, so those of many Safes travel in one transaction through
 * Multicall3: the Delay module reads the signature from its own calldata, and one that is refused does not stop the others.
 */
import { buildMulticall } from "@cardkeep/chain/multicall";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { CallReverted } from "@cardkeep/chain/errors";
import type { Executor } from "@cardkeep/db/client";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { findDelay, updateDelay } from "@cardkeep/db/queries/delays/delays";
import { findNextToEnqueue, listToEnqueue, lockFreeDelays, type ToEnqueue } from "@cardkeep/db/queries/delays/enqueues";
import { findRelayTransaction } from "@cardkeep/db/queries/relay/transactions";
import { beginGathering, endGathering } from "@cardkeep/db/queries/relay/lanes";
import { lockSafe } from "@cardkeep/db/queries/safes";
import type { Work, WorkerContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { operationGasMax, pickRelayer, quoteRelay, signRelayTransaction } from "../relay/sign.ts";
import { batchMax, canTravel, gatherLane, leaveRefused } from "./batch.ts";
import { settleRefusedEnqueue } from "./settleEnqueue.ts";

/** A lane is gathered in well below that. */
const gatherMsMax = 10_000;
/** What is left in a lane is looked at as soon as it was gathered in, and this late should that not happen. */
const lookLaterMs = 5_000;
/** No enqueue depends on another one, and a node builds the pending block anew each time it is asked about it. */
const onLatest = { blockTag: "latest" } as const;

/** Has a Safe's oldest accepted operation enqueued, with all that waits in its lane where it can travel with others. */
export async function relayNext(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const item = await findNextToEnqueue(ctx.db, safeId);
  if (!item) return;
  if (!canTravel(item)) return relayAlone(ctx, item);
  const relayer = pickRelayer(ctx, safeId);
  // Whoever gathers takes this one along, or has it looked at right after that.
  if (!(await beginGathering(ctx.db, relayer.address, gatherMsMax))) return lookLater(ctx.db, item);
  try {
    await relayLane(ctx, relayer, item);
  } finally {
    await endGathering(ctx.db, relayer.address);
  }
  const [next] = await gatherLane(ctx, relayer);
  if (next) await enqueue(ctx.db, "delay.relay", { safeId: next.safeId, requestId: next.requestId });
}

/** Has what a Safe has left looked at later, where nobody has it looked at earlier: whoever gathered may just have. */
const lookLater = (on: Executor, { safeId, requestId }: ToEnqueue): Promise<void> =>
  enqueueIfNone(on, "delay.relay", { safeId, requestId }, lookLaterMs);

async function relayLane(ctx: WorkerContext, relayer: RelayerKey, item: ToEnqueue): Promise<void> {
  const batch = await gatherLane(ctx, relayer);
  if (batch.length <= 1) return relayAlone(ctx, item);
  try {
    await relayTogether(ctx, batch, item);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const { accepted, refused } = await leaveRefused(ctx, batch);
    if (refused.length === 0) return relayAlone(ctx, item);
    for (const each of refused) await relayAlone(ctx, each);
    await relayTogether(ctx, accepted, item);
  }
}

const callOf = ({ delayAddress, enqueueData }: ToEnqueue) => ({ to: delayAddress, value: 0n, data: enqueueData });

/** Signs one transaction for all of them that nobody else is at; of the Safe of `asked` there may be more. */
async function relayTogether(ctx: WorkerContext, batch: readonly ToEnqueue[], asked: ToEnqueue): Promise<void> {
  const [first] = batch;
  if (!first) return;
  const relayer = pickRelayer(ctx, first.safeId);
  // What tolerates a failing call would be estimated as if it failed for want of gas.
  const quote = await quoteRelay(ctx, relayer, buildMulticall(batch.map(callOf)), onLatest);
  await ctx.commit(async (work) => {
    const items = await lockToEnqueue(work, batch);
    const [leading, ...others] = items;
    if (leading) {
      const call = others.length === 0 ? callOf(leading) : buildMulticall(items.map(callOf), { allowFailure: true });
      const companions = others.map(({ id, requestId }) => ({ subjectId: id, requestId }));
      await sign(ctx, work, leading, { relayer, quote, call, companions });
    }
    await lookLater(work.tx, asked);
  });
}

/** Those of a batch that are still to be enqueued; behind one of its Safe that somebody else is at, none is. */
async function lockToEnqueue({ tx }: Work, batch: readonly ToEnqueue[]): Promise<ToEnqueue[]> {
  const ids = await lockFreeDelays(
    tx,
    batch.map(({ id }) => id),
  );
  const left = new Set((await listToEnqueue(tx, { ids, countMax: batchMax })).map(({ id }) => id));
  const passed = new Set(batch.filter(({ id }) => !ids.includes(id)).map(({ safeId }) => safeId));
  return batch.filter(({ id, safeId }) => left.has(id) && !passed.has(safeId));
}

/** Signs the enqueue of one operation, the oldest of its Safe, or decides about it where the chain refuses it. */
async function relayAlone(ctx: WorkerContext, item: ToEnqueue): Promise<void> {
  const { safeId } = item;
  const relayer = pickRelayer(ctx, safeId);
  try {
    const quote = await quoteRelay(ctx, relayer, callOf(item), { gasMax: operationGasMax, ...onLatest });
    await ctx.commit(async (work) => {
      await lockSafe(work.tx, safeId);
      const [free] = await lockFreeDelays(work.tx, [item.id]);
      const oldest = free === undefined ? item : await findNextToEnqueue(work.tx, safeId);
      if (free !== undefined && oldest?.id === item.id)
        await sign(ctx, work, item, { relayer, quote, call: callOf(item) });
      if (oldest) await enqueue(work.tx, "delay.relay", { safeId, requestId: work.requestId });
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const row = await findDelay(ctx.db, item.id);
    const write = row && (await settleRefusedEnqueue(ctx, row, error.reason));
    await ctx.commit(async (work) => {
      await write?.(work);
      await enqueue(work.tx, "delay.relay", { safeId, requestId: work.requestId });
    });
  }
}

async function sign(
  ctx: WorkerContext,
  work: Work,
  item: ToEnqueue,
  input: Pick<Parameters<typeof signRelayTransaction>[2], "relayer" | "quote" | "call" | "companions">,
): Promise<void> {
  const isRetry = (await findRelayTransaction(work.tx, item.enqueueTaskId)) !== null;
  const id = isRetry ? generateId() : item.enqueueTaskId;
  await updateDelay(work.tx, item.id, ["QUEUING"], { enqueueTaskId: id, updatedAt: work.now });
  const { id: subjectId, requestId } = item;
  await signRelayTransaction(ctx, work, { id, purpose: "delay.enqueue", subjectId, requestId, ...input });
}
