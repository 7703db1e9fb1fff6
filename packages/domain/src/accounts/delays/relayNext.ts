/**
 * From accepted to signed: relays the enqueues of operations.
 *
 * The Delay module reads the owner's signature from its own calldata, so any sender may enqueue. Enqueues of many Safes
 * therefore share one transaction through Multicall3, and a refused one does not stop the others.
 */
import { buildMulticall } from "@cardkeep/chain/multicall";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { CallReverted } from "@cardkeep/chain/errors";
import type { Executor } from "@cardkeep/db/client";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { findDelay, updateDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import {
  findNextToEnqueue,
  isEnqueueOpen,
  listToEnqueue,
  lockFreeDelays,
  type ToEnqueue,
} from "@cardkeep/db/queries/accounts/delays/enqueues";
import { findRelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { beginGathering, endGathering } from "@cardkeep/db/queries/chain/relay/lanes";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { listHeldPeople } from "../../chain/relay/gasBudget.ts";
import { readLanes } from "../../chain/relay/pickRelayer.ts";
import { operationGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction, steadyMarginPercent } from "../../chain/relay/signRelayTransaction.ts";
import { batchMax, canShareEnqueue, gatherLane, leaveRefused } from "./batch.ts";
import { settleRefusedEnqueue } from "./settleEnqueue.ts";

/** A gathering that lost its process or its database holds the lane for so long. Two at once do no harm. */
const gatherMsMax = 3_000;
/** The job that gathers enqueues the next one at once; this is the fallback where it fails to. */
const lookLaterMs = 5_000;
/** The operator may raise the budget meanwhile. */
const holdLookMs = 300_000;
/** Enqueues do not depend on each other, and nodes build the pending block anew for each request. */
const onLatest = { blockTag: "latest" } as const;

/** Signs the enqueue of a Safe's oldest accepted operation, together with the operations of its lane where possible. */
export async function relayNext(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const item = await findNextToEnqueue(ctx.db, safeId);
  if (!item) return;
  const held = await listHeldPeople(ctx);
  const heldUntil = held.get(item.userId);
  if (heldUntil) return waitForBudget(ctx, item, heldUntil);
  const pick = await readLanes(ctx);
  const relayer = pick(safeId);
  if (!canShareEnqueue(item)) return relayAlone(ctx, relayer, item);
  // The job that is gathering takes this operation along, or enqueues another `delay.relay` after it.
  if (!(await beginGathering(ctx.db, relayer.address, gatherMsMax))) return lookLater(ctx.db, item);
  try {
    await relayBatch(ctx, relayer, await gatherLane(ctx, pick, { relayer, held }), item);
  } finally {
    await endGathering(ctx.db, relayer.address);
  }
  const [next] = await gatherLane(ctx, pick, { relayer, held });
  if (next) await enqueue(ctx.db, "delay.relay", { safeId: next.safeId, requestId: next.requestId });
}

/** Schedules another `delay.relay` job for this Safe in 5 s unless one is already queued. */
const lookLater = (on: Executor, { safeId, requestId }: ToEnqueue): Promise<void> =>
  enqueueIfNone(on, "delay.relay", { safeId, requestId }, lookLaterMs);

async function waitForBudget(ctx: WorkerContext, { safeId, requestId }: ToEnqueue, until: Date): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const waitMs = Math.min(until.getTime() - now.getTime(), holdLookMs);
  await enqueue(ctx.db, "delay.relay", { safeId, requestId }, waitMs);
}

async function relayBatch(
  ctx: WorkerContext,
  relayer: RelayerKey,
  batch: readonly ToEnqueue[],
  item: ToEnqueue,
): Promise<void> {
  if (batch.length <= 1) return relayAlone(ctx, relayer, item);
  try {
    await relayTogether(ctx, relayer, batch, item);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const { accepted, refused } = await leaveRefused(ctx, relayer, batch);
    if (refused.length === 0) return relayAlone(ctx, relayer, item);
    for (const each of refused) await relayAlone(ctx, relayer, each);
    await relayTogether(ctx, relayer, accepted, item);
  }
}

const callOf = ({ delayAddress, enqueueData }: ToEnqueue) => ({ to: delayAddress, value: 0n, data: enqueueData });

/** Signs one transaction for all operations of the batch that no other job holds, and looks again at the Safe of `asked`. */
async function relayTogether(
  ctx: WorkerContext,
  relayer: RelayerKey,
  batch: readonly ToEnqueue[],
  asked: ToEnqueue,
): Promise<void> {
  if (batch.length === 0) return;
  // With allowFailure the estimate would be too low: a call that runs out of gas passes as a tolerated failure.
  // Each new entry of a queue costs the same, and a refused one less.
  const steady = { ...onLatest, marginPercent: steadyMarginPercent };
  const quote = await quoteRelay(ctx, relayer, buildMulticall(batch.map(callOf)), steady);
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

/** Those of a batch that still have to be enqueued, up to the first operation of a Safe that another job holds. */
async function lockToEnqueue({ tx }: Work, batch: readonly ToEnqueue[]): Promise<ToEnqueue[]> {
  const ids = await lockFreeDelays(
    tx,
    batch.map(({ id }) => id),
  );
  const left = new Set((await listToEnqueue(tx, { ids, countMax: batchMax })).map(({ id }) => id));
  const passed = new Set(batch.filter(({ id }) => !ids.includes(id)).map(({ safeId }) => safeId));
  return batch.filter(({ id, safeId }) => left.has(id) && !passed.has(safeId));
}

/** Signs the enqueue of one operation, the oldest of its Safe, or settles it where the chain refuses it. */
async function relayAlone(ctx: WorkerContext, relayer: RelayerKey, item: ToEnqueue): Promise<void> {
  const { safeId } = item;
  try {
    const quote = await quoteRelay(ctx, relayer, callOf(item), { gasMax: operationGasMax, ...onLatest });
    await ctx.commit(async (work) => {
      await lockSafe(work.tx, safeId);
      const [free] = await lockFreeDelays(work.tx, [item.id]);
      const oldest = free === undefined ? item : await findNextToEnqueue(work.tx, safeId);
      // It may burn the gas of its block. So each refusal counts before the next try, and no Safe fills its lane.
      const isHeld = !canShareEnqueue(item) && (await isEnqueueOpen(work.tx, safeId));
      if (free !== undefined && oldest?.id === item.id && !isHeld)
        await sign(ctx, work, item, { relayer, quote, call: callOf(item) });
      const delayMs = canShareEnqueue(item) ? 0 : lookLaterMs;
      if (oldest) await enqueue(work.tx, "delay.relay", { safeId, requestId: work.requestId }, delayMs);
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const row = await findDelay(ctx.db, item.id);
    const write = row && (await settleRefusedEnqueue(ctx, row, error));
    await ctx.commit(async (work) => {
      // Another job may have signed it meanwhile: then its receipt decides.
      const [left] = await lockToEnqueue(work, [item]);
      if (left) await write?.(work);
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
