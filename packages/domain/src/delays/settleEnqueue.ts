/** Settles an enqueue: its operation is queued on chain, QUEUING to WAITING, or can never be. */
import { findEnqueueLog, listEntriesOf, type QueueEntry } from "@cardkeep/chain/delay";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { computeTimes } from "@cardkeep/chain/fates";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { enqueue, enqueueAll } from "@cardkeep/db/queue/enqueue";
import type { DelayTransaction } from "@cardkeep/db/queries/delays/delays";
import { listQueuingAmong, moveToWaiting } from "@cardkeep/db/queries/delays/enqueues";
import { listRelaySubjects, type RelayTransaction } from "@cardkeep/db/queries/relay/transactions";
import { countSettled } from "@cardkeep/db/queries/relay/bySubject";
import { restOn } from "../chain/reorgGuard.ts";
import { type Context, type WorkerContext, writeNothing, type WriteStep } from "../context.ts";
import { findMessageEnd } from "./chainHistory.ts";
import { failDelay } from "./failDelay.ts";
import { settleOr } from "./settleOr.ts";

const againMs = 5_000;
/** A contract that is an owner can behave in every estimate and burn the gas of every block, so tries end. */
const triesMax = 5;
/** How much longer the pause is after each try that a block refused. */
const pauseGrowth = 4;
const refusedReason = `Blocks refused it ${triesMax} times, although the chain accepted it whenever it was asked`;

/** An operation and the entry that it became. */
interface Enqueued {
  item: Pick<DelayTransaction, "id" | "delayAddress" | "requestId">;
  entry: Pick<QueueEntry, "queueNonce">;
}

/**
 * Settles each operation of our mined transaction: queued by it, queued earlier by another sender of the same bytes, or
 * refused. Each operation is settled by itself: one whose history cannot be read now is left to its own job.
 */
export async function settleEnqueue(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const subjects = await listRelaySubjects(ctx.db, transaction.id);
  const ids = subjects.map(({ subjectId }) => subjectId);
  const enqueued: Enqueued[] = [];
  const refused: DelayTransaction[] = [];
  const taken = new Set<number>();
  for (const item of await listQueuingAmong(ctx.db, ids)) {
    const { delayAddress: delay, messageHash, operation, to, value, data } = item;
    const unsigned = () =>
      listEntriesOf(receipt.logs, { delay, operation, call: { to, value, data } }).find(
        ({ logIndex }) => !taken.has(logIndex),
      );
    // A sender of ours that an owner made an owner is believed without the signature: the entry is there all the same.
    const entry = findEnqueueLog(receipt.logs, { delay, messageHash }) ?? unsigned();
    if (entry) {
      taken.add(entry.logIndex);
      enqueued.push({ item, entry });
    } else refused.push(item);
  }
  const writes = await Promise.all([
    markEnqueued(ctx, receipt, enqueued),
    ...refused.map((item) => settleOr(() => settleRefusedEnqueue(ctx, item, null), tryAgain(item))),
  ]);
  return async (work) => {
    for (const write of writes) await write(work);
  };
}

/**
 * Settles an operation whose enqueue the chain refused, by the state of its message on chain.
 *
 * @throws ChainUnavailable while the logs do not show what became of a consumed message
 */
export async function settleRefusedEnqueue(
  ctx: WorkerContext,
  item: DelayTransaction,
  reason: string | null,
): Promise<WriteStep> {
  const head = await ctx.chain.getBlock();
  const block = { blockNumber: head.number, blockHash: head.hash };
  const isConsumed = await ctx.chain.isMessageConsumed({
    delay: item.delayAddress,
    signer: item.signer,
    messageHash: item.messageHash,
  });
  if (isConsumed) {
    const end = await findMessageEnd(ctx, item);
    if (end !== "invalidated") return markEnqueued(ctx, end, [{ item, entry: end }]);
    return (work) => failDelay(work, item, "The signer invalidated the signed message", block);
  }
  if (reason !== null) return (work) => failDelay(work, item, reason, block);
  const earlier = await countSettled(ctx.db, item.id, { purposes: ["delay.enqueue"], statuses: ["MINED", "REVERTED"] });
  if (earlier + 1 >= triesMax) return (work) => failDelay(work, item, refusedReason, block);
  return tryAgain(item, againMs * pauseGrowth ** earlier);
}

const tryAgain =
  ({ safeId, requestId }: DelayTransaction, delayMs = againMs): WriteStep =>
  ({ tx }) =>
    enqueue(tx, "delay.relay", { safeId, requestId }, delayMs);

/** Moves operations that one transaction enqueued to WAITING, with one read and one write for all of them. */
export async function markEnqueued(
  ctx: Pick<Context, "chain" | "clock" | "db">,
  enqueuedBy: Pick<ChainReceipt, "transactionHash" | "blockNumber" | "blockHash">,
  enqueued: readonly Enqueued[],
): Promise<WriteStep> {
  if (enqueued.length === 0) return writeNothing;
  const { transactionHash: enqueuedHash, blockNumber: enqueuedBlock, blockHash } = enqueuedBy;
  const lookedAt = await ctx.clock.now(ctx.db);
  const delays = [...new Set(enqueued.map(({ item }) => item.delayAddress))];
  const [block, periods, latest] = await Promise.all([
    ctx.chain.getBlockAt(enqueuedBlock),
    ctx.chain.listDelayPeriods(delays),
    ctx.chain.getBlock(),
  ]);
  if (block?.hash !== blockHash) throw new ChainUnavailable("The block of an enqueue is not canonical any more");
  const queued = enqueued.map(({ item: { id, delayAddress, requestId }, entry: { queueNonce } }) => {
    const settings = periods[delays.indexOf(delayAddress)] ?? { cooldownSeconds: 0, expirationSeconds: 0 };
    const { readyAt, expiresAt } = computeTimes(block.timestamp, settings);
    const expiry = expiresAt === null ? null : new Date(expiresAt * 1000);
    return { id, requestId, queueNonce, readyAt: new Date(readyAt * 1000), expiresAt: expiry };
  });
  return async (work) => {
    const { tx, now } = work;
    const moved = new Set(await moveToWaiting(tx, queued, { enqueuedHash, enqueuedBlock, updatedAt: now }));
    if (moved.size === 0) return;
    await restOn(work, enqueuedBy);
    // Cooldowns run on the chain's clock, which may differ from this machine's.
    const chainNowMs = latest.timestamp * 1000 + now.getTime() - lookedAt.getTime();
    const jobs = queued
      .filter(({ id }) => moved.has(id))
      .map(({ id: delayId, requestId, readyAt }) => ({
        payload: { delayId, requestId },
        delayMs: readyAt.getTime() - chainNowMs,
      }));
    await enqueueAll(tx, "delay.dispatch", jobs);
  };
}
