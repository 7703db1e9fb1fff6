/**
 * Compares the queues on chain with the rows, and repairs or reports each difference.
 *
 * - foreign entry: in the queue of one of our Safes, but no operation stands for it: an owner enqueued it without us, or
 *   its row was lost with a database. It is reported, tolerated, and never enqueued again.
 */
import { findEnqueueLog, parseQueueLog, type QueueEntry, queueTopics } from "@cardkeep/chain/delay";
import {
  findComparedBlock,
  type ForeignEntry,
  insertForeignEntries,
  setComparedBlock,
} from "@cardkeep/db/queries/chain/comparison";
import { insertChainCursor } from "@cardkeep/db/queries/chain/blocks";
import { rollBackEnqueue } from "@cardkeep/db/queries/chain/rollBack";
import type { DelayTransaction } from "@cardkeep/db/queries/delays/delays";
import { listAllOpenDelays } from "@cardkeep/db/queries/delays/lists";
import { listHeldPositions, listQueuing, type QueuePosition } from "@cardkeep/db/queries/delays/queue";
import { findFirstRelayedBlock } from "@cardkeep/db/queries/relay/transactions";
import { listDelayModules, lockSafe } from "@cardkeep/db/queries/safes";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../context.ts";

type LoggedEntry = QueueEntry & QueuePosition;
type BlockRange = { fromBlock: bigint; toBlock: bigint };

const everyMs = 60_000;
const openMax = 1_000;
/** The asked node may not know enqueues of the newest blocks yet. */
const settledBlocks = 3n;

/** Compares once; runs again a minute later. */
export async function reconcile(ctx: WorkerContext): Promise<void> {
  const { chainId } = ctx.rules;
  await insertChainCursor(ctx.db, chainId);
  const { number: head } = await ctx.chain.getBlock();
  const compared = (await findComparedBlock(ctx.db, chainId)) ?? (await findFirstRelayedBlock(ctx.db)) ?? head;
  const blocks = { fromBlock: compared, toBlock: head };
  const entries = await listEntries(ctx, blocks);
  // Read after the logs: an operation in them was accepted earlier and has its row.
  const foreign = await listForeign(ctx, entries, blocks);
  const ahead = await listAheadOfChain(ctx, await listAllOpenDelays(ctx.db, openMax), head - settledBlocks);
  await ctx.commit(async ({ tx, now, requestId }) => {
    for (const { id, safeId, queueNonce } of ahead) {
      await lockSafe(tx, safeId);
      const taken = await rollBackEnqueue(tx, id, now);
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

/** New entries in the queues of our Safes, in one request for all Safes. */
async function listEntries(ctx: WorkerContext, blocks: BlockRange): Promise<LoggedEntry[]> {
  const logs = await ctx.chain.getLogs({ addresses: null, topics: queueTopics, ...blocks });
  const ours = new Set(await listDelayModules(ctx.db, [...new Set(logs.map(({ address }) => address))]));
  return logs
    .filter(({ address }) => ours.has(address))
    .flatMap((log) => {
      const entry = parseQueueLog(log);
      return entry ? [{ ...entry, delayAddress: log.address }] : [];
    });
}

/** The entries that no row stands for, and that are not just what an operation of ours is waiting to see. */
async function listForeign(
  ctx: WorkerContext,
  entries: readonly LoggedEntry[],
  blocks: BlockRange,
): Promise<Omit<ForeignEntry, "seenAt">[]> {
  if (entries.length === 0) return [];
  // In this order: what is queuing no more when it is looked for holds its place by the time that is.
  const queuing = await listQueuing(ctx.db, [...new Set(entries.map(({ delayAddress }) => delayAddress))]);
  const held = new Set((await listHeldPositions(ctx.db, entries)).map(nameOf));
  const unheld = entries.filter((entry) => !held.has(nameOf(entry)));
  const awaited = await listAwaited(ctx, queuing, unheld, blocks);
  return unheld
    .filter((entry) => !awaited.has(nameOf(entry)))
    .map(({ delayAddress, queueNonce, to, value, data, transactionHash, blockNumber }) => ({
      delayAddress,
      queueNonce,
      to,
      value,
      data,
      enqueuedHash: transactionHash,
      enqueuedBlock: blockNumber,
    }));
}

const nameOf = ({ delayAddress, queueNonce }: QueuePosition): string => `${delayAddress}:${queueNonce}`;

/** The places that messages of queuing operations have got, as far as their rows do not know it yet. */
async function listAwaited(
  ctx: WorkerContext,
  queuing: Awaited<ReturnType<typeof listQueuing>>,
  unheld: readonly LoggedEntry[],
  blocks: BlockRange,
): Promise<Set<string>> {
  const inQuestion = new Set(unheld.map(({ delayAddress }) => delayAddress));
  const items = queuing.filter(({ delayAddress }) => inQuestion.has(delayAddress));
  const addresses = [...new Set(items.map(({ delayAddress }) => delayAddress))];
  const logs = await ctx.chain.getLogs({ addresses, ...blocks });
  const places = items.flatMap(({ delayAddress, messageHash }) => {
    const entry = findEnqueueLog(logs, { delay: delayAddress, messageHash });
    return entry ? [nameOf({ delayAddress, queueNonce: entry.queueNonce })] : [];
  });
  return new Set(places);
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
