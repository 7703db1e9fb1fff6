/**
 * Compares the queues on chain with the rows, and repairs or reports each difference.
 *
 * - lost entry: in the queue of one of our Safes, enqueued by this service, but its row was lost with a database. It is
 *   restored.
 * - foreign entry: in the queue of one of our Safes, but an owner enqueued it without us. It is reported, tolerated,
 *   never enqueued again, and skipped once it has expired.
 */
import { hourMs } from "@cardkeep/contract/core/durations";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import type { ChainLog } from "@cardkeep/chain/log";
import { insertForeignEntries, findComparedBlock, setComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import { countReorganisations, insertChainCursor } from "@cardkeep/db/queries/chain/blocks";
import { rollBackEnqueue } from "@cardkeep/db/queries/chain/rollBack";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { listAllOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findFirstRelayedBlock } from "@cardkeep/db/queries/chain/relay/transactions";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { listSafesByDelay } from "@cardkeep/db/queries/accounts/integrity";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { findCheckEnd } from "../../accounts/integrity/followEntries.ts";
import { isRemoved } from "../../chain/guards/isRemoved.ts";
import { mayLackRows } from "../../chain/guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { beginReconciliation } from "../reconciliations/beginReconciliation.ts";
import { compareEntries } from "../reconciliations/compareEntries.ts";
import { linkTransactions } from "../reconciliations/linkTransactions.ts";

const everyMs = 60_000;
const openMax = 1_000;
const linkedMs = hourMs;
/** The asked node may not know enqueues of the newest blocks yet. */
const settledBlocks = 3n;

/**
 * Compares once; runs again a minute later, or at once where it has not read all blocks: others decide how much is in them. A
 * database that went back keeps its place until its rows are restored.
 *
 * Each run looks at the next thousand open operations, so that those of one Safe hide no others. The run after the last
 * ones begins again.
 * @param input.after id of the operation at which the run before ended
 */
export async function compareQueues(ctx: WorkerContext, input: { after?: string }): Promise<void> {
  const { chainId } = ctx.policy;
  await insertChainCursor(ctx.db, chainId);
  const reorganisations = await countReorganisations(ctx.db, chainId);
  const { number: head } = await ctx.chain.getBlock();
  const compared = (await findComparedBlock(ctx.db, chainId)) ?? (await findFirstRelayedBlock(ctx.db)) ?? head;
  const toBlock = findCheckEnd({ checked: compared, head });
  const { foreign, restored } = await compareEntries(ctx, { fromBlock: compared, toBlock });
  await linkRecent(ctx);
  const open = await listAllOpenDelays(ctx.db, { after: input.after ?? null, limit: openMax });
  const last = open.length < openMax ? null : open.at(-1);
  const { ahead, behind } = await compareOpen(ctx, open, head - settledBlocks);
  const isHeld = await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    for (const { id, safeId, queueNonce } of ahead) {
      await lockSafe(tx, safeId);
      const taken = await rollBackEnqueue(tx, id, now);
      if (!taken) continue;
      ctx.log.warn({ delayId: id, queueNonce: String(queueNonce) }, "the chain does not hold what we had enqueued");
      await enqueue(tx, "delay.relay", { safeId, requestId: taken.requestId });
    }
    for (const { id: delayId, requestId: ofDelay } of behind)
      await enqueue(tx, "delay.dispatch", { delayId, requestId: ofDelay });
    const found = await insertForeignEntries(
      tx,
      foreign.map((row) => ({ ...row, seenAt: now })),
    );
    for (const { delayAddress, queueNonce, enqueuedHash } of found)
      ctx.log.warn({ delayAddress, queueNonce: String(queueNonce), enqueuedHash }, "no operation stands for an entry");
    const delays = new Set(found.map(({ delayAddress }) => delayAddress));
    for (const { id: safeId } of await listSafesByDelay(tx, [...delays]))
      await enqueueIfNone(tx, "safe.violations", { safeId, requestId }, 0);
    if (restored > 0) {
      const evidence = `${restored} operations on chain had no row`;
      await beginReconciliation(ctx, work, { reason: "restored", evidence, fromBlock: compared });
    }
    const next = { chainId: String(chainId), requestId, ...(last && { after: last.id }) };
    // Until every row is back, a reconciliation that begins later has to read from the block of before the loss.
    const isLacking = await mayLackRows({ db: tx }, null);
    await enqueue(tx, "chain.reconcile", next, toBlock < head && !isLacking ? 0 : everyMs);
    return isLacking;
  });
  if (!isHeld) await setComparedBlock(ctx.db, chainId, { comparedBlock: toBlock, reorganisations });
}

/**
 * Restored operations and payments end after the reconciliation: for a while the transactions that ended them are looked for.
 */
async function linkRecent(ctx: WorkerContext): Promise<void> {
  const newest = await findNewestReconciliation(ctx.db);
  const now = await ctx.clock.now(ctx.db);
  if (newest?.fromBlock == null || newest.reason === "daily" || newest.reason === "first") return;
  if (now.getTime() - newest.startedAt.getTime() < linkedMs) await linkTransactions(ctx, newest.fromBlock);
}

/**
 * Ahead: operations that our rows have further than the chain. It is another chain, or one that went back deeper than was
 * seen. Behind: the first of each Safe that left the queue without us. Its own job may be minutes away, and the next one waits.
 */
async function compareOpen(
  ctx: WorkerContext,
  open: readonly DelayTransaction[],
  upTo: bigint,
): Promise<{ ahead: DelayTransaction[]; behind: DelayTransaction[] }> {
  const [ahead, behind]: [DelayTransaction[], DelayTransaction[]] = [[], []];
  for (const [delay, items] of Map.groupBy(open, (item) => item.delayAddress)) {
    const queued = items.filter((item) => item.enqueuedBlock !== null && item.enqueuedBlock <= upTo);
    if (queued.length === 0) continue;
    const { queueNonce, txNonce } = await ctx.chain.getDelayState(delay);
    const [first] = queued.toSorted((a, b) => Number((a.queueNonce ?? 0n) - (b.queueNonce ?? 0n)));
    if (first?.queueNonce != null && first.queueNonce < txNonce) behind.push(first);
    for (const item of queued) {
      const { enqueuedHash: hash, enqueuedBlock: blockNumber } = item;
      if (item.queueNonce === null || item.queueNonce < queueNonce) continue;
      if (blockNumber === null || hash === null) continue;
      const isItsOwn = (log: ChainLog) => log.address === delay && parseQueueLog(log)?.queueNonce === item.queueNonce;
      if (await isRemoved(ctx, { hash, blockNumber }, ({ logs }) => logs.some(isItsOwn))) ahead.push(item);
    }
  }
  return { ahead, behind };
}
