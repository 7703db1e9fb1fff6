/** From queued on chain to executed: WAITING to EXECUTING to EXECUTED, or FAILED once the chain has given it up. */
import { buildDispatch, buildSkipExpired } from "@cardkeep/chain/delay";
import { CallReverted } from "@cardkeep/chain/errors";
import { type CallTimes, computeTimes, isExpired } from "@cardkeep/chain/fates";
import { type DelayTransaction, findDelay, updateDelay } from "@cardkeep/db/queries/delays/delays";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/relay/bySubject";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../context.ts";
import { explainRefusal, findHead, type QueueHead, removesLastOwner } from "./queueHead.ts";
import { settleEnd } from "./settleDispatch.ts";
import { dispatchPurposes, signDispatch } from "./signDispatch.ts";

const soonMs = 1_000;
const retryMsMin = 10_000;
const retryMsMax = 300_000;
/** The chain's clock may run ahead of the expected time, so no cooldown is waited for longer at once. */
const cooldownLookMs = 30_000;
const inCooldown = "Transaction is still in cooldown";

/** When a head can run, in unix seconds of the chain; `timestamp` is the newest block's. */
interface HeadTimes extends CallTimes {
  readonly timestamp: number;
}

/**
 * Brings one queued operation as far as the chain allows now: executes it, waits, skips it, or records its end.
 *
 * Only the chain's own time and queue decide. A head that the chain refuses is tried again until it expires.
 */
export async function dispatch(ctx: WorkerContext, { delayId }: { delayId: string }): Promise<void> {
  const item = await findDelay(ctx.db, delayId);
  if (item?.queueNonce == null || (item.status !== "WAITING" && item.status !== "EXECUTING")) return;
  if (await hasOpenRelayTransaction(ctx.db, item.id, dispatchPurposes)) return;
  const lookedAt = await ctx.clock.now(ctx.db);
  const state = await ctx.chain.getDelayState(item.delayAddress);
  if (item.queueNonce < state.txNonce) return ctx.commit(await settleEnd(ctx, item));
  const { timestamp } = await ctx.chain.getBlock();
  const head = await findHead(ctx, item, state);
  // The head is another operation of ours, and its own job executes it.
  if (!head) return enqueue(ctx.db, "delay.dispatch", { delayId, requestId: item.requestId }, retryMsMin);

  const times = computeTimes(head.createdAt, state);
  const { readyAt } = times;
  if (isExpired(times, timestamp)) return signDispatch(ctx, item, "delay.skip", buildSkipExpired(item.delayAddress));
  // The next block is at least a second later than the latest.
  if (timestamp + 1 < readyAt) return waitForCooldown(ctx, item, { timestamp, readyAt, lookedAt });
  await executeHead(ctx, item, head, { timestamp, ...times });
}

async function waitForCooldown(
  ctx: WorkerContext,
  { id: delayId, requestId }: DelayTransaction,
  { timestamp, readyAt, lookedAt }: Pick<HeadTimes, "timestamp" | "readyAt"> & { lookedAt: Date },
): Promise<void> {
  await ctx.commit(async ({ tx, now }) => {
    // The sandbox may have moved the clock meanwhile, and the chain with it.
    const passedMs = now.getTime() - lookedAt.getTime();
    const waitMs = Math.min(Math.max(soonMs, (readyAt - timestamp) * 1000 - passedMs), cooldownLookMs);
    await enqueue(tx, "delay.dispatch", { delayId, requestId }, waitMs);
  });
}

/** Signs the execution of a head; one that the chain refuses stays in the queue with the reason. */
async function executeHead(
  ctx: WorkerContext,
  item: DelayTransaction,
  head: QueueHead,
  times: HeadTimes,
): Promise<void> {
  if (await removesLastOwner(ctx, item, head)) return postpone(ctx, item, "The last owner cannot be removed", times);
  const call = buildDispatch({ delay: item.delayAddress, call: head.call, operation: head.operation });
  try {
    await signDispatch(ctx, item, head.isOurs ? "delay.dispatch" : "delay.unblock", call);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await postpone(ctx, item, await explainRefusal(ctx, item, head, error.reason), times);
  }
}

/** Keeps a refused head in the queue and records the reason. The older it is, the less often it is tried. */
async function postpone(
  ctx: WorkerContext,
  item: DelayTransaction,
  reason: string,
  { timestamp, readyAt, expiresAt }: HeadTimes,
): Promise<void> {
  const sinceReadyMs = (timestamp - readyAt) * 1000;
  const untilExpiredMs = expiresAt === null ? Infinity : (expiresAt + 1 - timestamp) * 1000;
  const delayMs =
    reason === inCooldown
      ? soonMs
      : Math.min(Math.max(sinceReadyMs, retryMsMin), retryMsMax, Math.max(untilExpiredMs, soonMs));
  await ctx.commit(async ({ tx, now }) => {
    await updateDelay(tx, item.id, ["WAITING", "EXECUTING"], { reason, updatedAt: now });
    await enqueue(tx, "delay.dispatch", { delayId: item.id, requestId: item.requestId }, delayMs);
  });
}
