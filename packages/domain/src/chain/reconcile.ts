/**
 * Compares the queues on chain with the rows, and repairs or reports each difference.
 *
 * - foreign entry: in the queue of one of our Safes, but no operation stands for it: an owner enqueued it without us, or
 *   its row was lost with a database. It is reported, tolerated, and never enqueued again.
 */
import { findEnqueueLog, parseQueueLog, type QueueEntry } from "@cardkeep/chain/delay";
import type { ChainLog } from "@cardkeep/chain/reader";
import type { Address } from "@cardkeep/contract/primitives";
import {
  findComparedBlock,
  type ForeignEntry,
  insertChainCursor,
  insertForeignEntries,
  setComparedBlock,
  takeBackEnqueue,
} from "@cardkeep/db/queries/chain";
import { type DelayTransaction, listAllOpenDelays, listHeldPlaces } from "@cardkeep/db/queries/delays";
import { findFirstRelayedBlock } from "@cardkeep/db/queries/relayers";
import { listDelayAddresses, lockSafe } from "@cardkeep/db/queries/safes";
import { enqueue } from "@cardkeep/db/jobs";
import type { WorkerContext } from "../context.ts";

const everyMs = 60_000;
/** Nodes refuse questions about too many addresses at once. */
const addressesMax = 200;
const openMax = 1_000;
/** What was enqueued in the newest blocks may be news to the node that is asked. */
const settledBlocks = 3n;

/** Compares once; runs again a minute later. */
export async function reconcile(ctx: WorkerContext): Promise<void> {
  const { chainId } = ctx.rules;
  await insertChainCursor(ctx.db, chainId);
  const { number: head } = await ctx.chain.getBlock();
  const compared = (await findComparedBlock(ctx.db, chainId)) ?? (await findFirstRelayedBlock(ctx.db)) ?? head;
  const logs = await listQueueLogs(ctx, compared, head);
  // After the logs: what they tell of was accepted before, and has its row.
  const open = await listAllOpenDelays(ctx.db, openMax);
  const foreign = await listForeign(ctx, logs, open);
  const ahead = await listAheadOfChain(ctx, open, head - settledBlocks);
  await ctx.commit(async ({ tx, now, requestId }) => {
    for (const { id, safeId, queueNonce } of ahead) {
      await lockSafe(tx, safeId);
      const taken = await takeBackEnqueue(tx, id, now);
      if (!taken) continue;
      ctx.log.warn({ delayId: id, queueNonce: String(queueNonce) }, "the chain does not hold what we had enqueued");
      await enqueue(tx, "delay.relay", { safeId, requestId: taken.requestId });
    }
    for (const entry of await insertForeignEntries(
      tx,
      foreign.map((row) => ({ ...row, seenAt: now })),
    )) {
      const { delayAddress, queueNonce, enqueuedHash } = entry;
      ctx.log.warn({ delayAddress, queueNonce: String(queueNonce), enqueuedHash }, "no operation stands for an entry");
    }
    await setComparedBlock(tx, chainId, head);
    await enqueue(tx, "chain.reconcile", { chainId: String(chainId), requestId }, everyMs);
  });
}

async function listQueueLogs(ctx: WorkerContext, compared: bigint, head: bigint): Promise<ChainLog[]> {
  const all = await listDelayAddresses(ctx.db);
  const logs: ChainLog[] = [];
  for (let index = 0; index < all.length; index += addressesMax) {
    const addresses = all.slice(index, index + addressesMax);
    logs.push(...(await ctx.chain.getLogs({ addresses, fromBlock: compared, toBlock: head })));
  }
  return logs;
}

/** The entries that no row stands for, and that are not just what an operation of ours is waiting to see. */
async function listForeign(
  ctx: WorkerContext,
  logs: readonly ChainLog[],
  open: readonly DelayTransaction[],
): Promise<Omit<ForeignEntry, "seenAt">[]> {
  const foreign: Omit<ForeignEntry, "seenAt">[] = [];
  for (const [delay, ofDelay] of Map.groupBy(logs, (log): Address => log.address)) {
    const entries = ofDelay.flatMap((log) => parseQueueLog(log) ?? []);
    if (entries.length === 0) continue;
    const held = await listHeldPlaces(
      ctx.db,
      delay,
      entries.map((entry) => entry.queueNonce),
    );
    const awaited = new Set(
      open
        .filter((item) => item.delayAddress === delay && item.status === "QUEUING")
        .map(({ messageHash }) => findEnqueueLog(ofDelay, { delay, messageHash })?.queueNonce),
    );
    const isForeign = ({ queueNonce }: QueueEntry) => !held.has(queueNonce) && !awaited.has(queueNonce);
    for (const { queueNonce, to, value, data, transactionHash, blockNumber } of entries.filter(isForeign)) {
      foreign.push({
        delayAddress: delay,
        queueNonce,
        to,
        value,
        data,
        enqueuedHash: transactionHash,
        enqueuedBlock: blockNumber,
      });
    }
  }
  return foreign;
}

/** Operations that our rows have further than the chain: it is another chain, or one that went back deeper than was seen. */
async function listAheadOfChain(
  ctx: WorkerContext,
  open: readonly DelayTransaction[],
  upTo: bigint,
): Promise<DelayTransaction[]> {
  const ahead: DelayTransaction[] = [];
  for (const [delay, items] of Map.groupBy(open, (item) => item.delayAddress)) {
    const queued = items.filter((item) => item.enqueuedBlock !== null && item.enqueuedBlock <= upTo);
    if (queued.length === 0) continue;
    const { queueNonce } = await ctx.chain.getDelayState(delay);
    ahead.push(...queued.filter((item) => item.queueNonce !== null && item.queueNonce >= queueNonce));
  }
  return ahead;
}
