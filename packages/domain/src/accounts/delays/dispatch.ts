/** From queued on chain to executed: WAITING to EXECUTING to EXECUTED, or FAILED once the chain has given it up. */
import { buildDispatch, buildSkipExpired } from "@cardkeep/chain/delay";
import { CallReverted } from "@cardkeep/chain/errors";
import { type CallTimes, computeTimes, isExpired } from "@cardkeep/chain/fates";
import { type DelayTransaction, findDelay, updateDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { hasDelayBefore } from "@cardkeep/db/queries/accounts/delays/queue";
import { countSettled, hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";
import { readHold } from "../../chain/relay/gasBudget.ts";
import { failDelay } from "./failDelay.ts";
import { explainRefusal, findHead, type QueueHead, removesLastOwner } from "./queueHead.ts";
import { settleEnd } from "./settleDispatch.ts";
import { dispatchPurposes, signDispatch } from "./signDispatch.ts";

const soonMs = 1_000;
const retryMsMin = 10_000;
const retryMsMax = 300_000;
/** The chain's clock may run ahead of the expected time, so no cooldown is waited for longer at once. */
const cooldownLookMs = 30_000;
/** A head that blocks refused before is tried once more in so many seconds before it expires. */
const lastTrySeconds = 60;
const refusedByBlocks = "Blocks refused it, although the chain accepted it whenever it was asked";
const usedByForeign = "Entries before it that were queued past the service used too much gas";
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
  const { queueNonce } = item;
  // The end of the one before adds this job again, in its commit.
  if (await hasDelayBefore(ctx.db, { ...item, queueNonce })) return;
  if (await hasOpenRelayTransaction(ctx.db, item.id, dispatchPurposes)) return;
  const lookedAt = await ctx.clock.now(ctx.db);
  const state = await ctx.chain.getDelayState(item.delayAddress);
  if (queueNonce < state.txNonce) return ctx.commit(await settleEnd(ctx, item));
  const { timestamp } = await ctx.chain.getBlock();
  const head = await findHead(ctx, item, state);
  // The asked node lags behind: it shows an operation that has ended.
  if (!head) return enqueue(ctx.db, "delay.dispatch", { delayId, requestId: item.requestId }, retryMsMin);

  const times = computeTimes(head.createdAt, state);
  const { readyAt } = times;
  if (isExpired(times, timestamp)) return skipHead(ctx, item, { timestamp, ...times });
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

/** Signs the skip of expired entries. Where they are too many for a block, an operation behind them waits until it expires too. */
async function skipHead(ctx: WorkerContext, item: DelayTransaction, times: HeadTimes): Promise<void> {
  try {
    await signDispatch(ctx, item, "delay.skip", buildSkipExpired(item.delayAddress));
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const reason = `Expired entries before it cannot be skipped: ${error.reason}`;
    const head = await ctx.chain.getBlock();
    const hasExpired = item.expiresAt !== null && head.timestamp * 1000 > item.expiresAt.getTime();
    if (!hasExpired) return postpone(ctx, item, reason, times);
    const block = { blockNumber: head.number, blockHash: head.hash };
    await ctx.commit((work) => failDelay(work, item, reason, block));
  }
}

/** Signs the execution of a head; one that the chain refuses stays in the queue with the reason. */
async function executeHead(
  ctx: WorkerContext,
  item: DelayTransaction,
  head: QueueHead,
  times: HeadTimes,
): Promise<void> {
  if (await removesLastOwner(ctx, item, head)) return postpone(ctx, item, "The last owner cannot be removed", times);
  const waitMs = await (head.isOurs ? readTryMs(ctx, item, times) : readForeignMs(ctx, item));
  if (waitMs > 0) return waitForBudget(ctx, item, { waitMs, reason: head.isOurs ? refusedByBlocks : usedByForeign });
  const call = buildDispatch({ delay: item.delayAddress, call: head.call, operation: head.operation });
  try {
    await signDispatch(ctx, item, head.isOurs ? "delay.dispatch" : "delay.unblock", call);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await postpone(ctx, item, await explainRefusal(ctx, item, head, error.reason), times);
  }
}

/**
 * How long the budget of reverted gas holds up a head. The first try of an operation waits for nothing, and neither does one
 * shortly before its entry expires: the budget ends no operation.
 */
async function readTryMs(
  ctx: WorkerContext,
  { id, userId }: DelayTransaction,
  { timestamp, expiresAt }: HeadTimes,
): Promise<number> {
  const refused = await countSettled(ctx.db, id, { purposes: dispatchPurposes, statuses: ["REVERTED"] });
  if (refused === 0) return 0;
  const { waitMs, calmMs } = await readHold(ctx, userId);
  if (expiresAt === null) return waitMs;
  const lastTryMs = (expiresAt - lastTrySeconds - timestamp) * 1000;
  if (lastTryMs > 0) return Math.min(waitMs, lastTryMs);
  return calmMs > -lastTryMs ? 0 : waitMs;
}

/** How long it holds up an entry that is no operation: the person's own try waits for nothing, but not what stands before it. */
const readForeignMs = async (ctx: WorkerContext, { userId }: DelayTransaction): Promise<number> =>
  (await readHold(ctx, userId)).waitMs;

async function waitForBudget(
  ctx: WorkerContext,
  item: DelayTransaction,
  { waitMs, reason }: { waitMs: number; reason: string },
): Promise<void> {
  await ctx.commit(async ({ tx, now }) => {
    await updateDelay(tx, item.id, ["WAITING", "EXECUTING"], { reason, updatedAt: now });
    const payload = { delayId: item.id, requestId: item.requestId };
    await enqueue(tx, "delay.dispatch", payload, Math.min(waitMs, cooldownLookMs));
  });
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
