/** The entries in the queues of our Safes without a row: those that were lost get their rows again. */
import { findEnqueueLog, parseQueueLog, type QueueEntry } from "@cardkeep/chain/delayLogs";
import type { ForeignEntry } from "@cardkeep/db/queries/chain/comparison";
import { listHeldPositions, listQueuing, type QueuePosition } from "@cardkeep/db/queries/accounts/delays/queue";
import { listDelayModules } from "@cardkeep/db/queries/accounts/safes";
import type { WorkerContext } from "../../core/context.ts";
import { readQueueLogs } from "../../accounts/integrity/readQueueLogs.ts";
import { restoreEntries } from "./restoreEntries.ts";

type LoggedEntry = QueueEntry & QueuePosition;

export interface BlockRange {
  fromBlock: bigint;
  toBlock: bigint;
}

/** Restores the rows of the entries in some blocks. Returns how many it restored, and the entries of others. */
export async function compareEntries(
  ctx: WorkerContext,
  blocks: BlockRange,
): Promise<{ foreign: Omit<ForeignEntry, "seenAt">[]; restored: number }> {
  const entries = await listEntries(ctx, blocks);
  // Read after the logs: an operation in them was accepted earlier and has its row.
  const unheld = await listForeign(ctx, entries, blocks);
  const hashes = [...new Set(unheld.map(({ enqueuedHash }) => enqueuedHash))];
  let restored = 0;
  for (const hash of hashes) {
    const restore = await restoreEntries(ctx, hash);
    if (restore) restored += await ctx.commit(restore);
  }
  if (hashes.length === 0) return { foreign: [], restored };
  // Another job may have restored them just now.
  const held = new Set((await listHeldPositions(ctx.db, unheld)).map(nameOf));
  return { foreign: unheld.filter((entry) => !held.has(nameOf(entry))), restored };
}

/** New entries in the queues of our Safes, in one request for all Safes. */
async function listEntries(ctx: WorkerContext, blocks: BlockRange): Promise<LoggedEntry[]> {
  const logs = await readQueueLogs(ctx, blocks);
  const ours = new Set(await listDelayModules(ctx.db, [...new Set(logs.map(({ address }) => address))]));
  return logs
    .filter(({ address }) => ours.has(address))
    .flatMap((log) => {
      const entry = parseQueueLog(log);
      return entry ? [{ ...entry, delayAddress: log.address }] : [];
    });
}

/** The entries without a row, but for those of operations that wait for their place in the queue. */
async function listForeign(
  ctx: WorkerContext,
  entries: readonly LoggedEntry[],
  blocks: BlockRange,
): Promise<Omit<ForeignEntry, "seenAt">[]> {
  if (entries.length === 0) return [];
  // Waiting operations are read first: one that got its place between the two reads is then among the held places.
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

/** The places on chain of waiting operations whose rows have no place yet. */
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
