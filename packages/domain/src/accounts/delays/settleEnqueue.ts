/** Settles an enqueue: its operation is queued on chain, QUEUING to WAITING, or can never be. */
import { findEnqueueLog, listUnsignedEntriesOf, type QueueEntry } from "@cardkeep/chain/delayLogs";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { computeTimes } from "@cardkeep/chain/fates";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { enqueue, enqueueAll } from "@cardkeep/db/queue/enqueue";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { listDelaysAmong, moveToWaiting } from "@cardkeep/db/queries/accounts/delays/enqueues";
import { countDelaysBefore } from "@cardkeep/db/queries/accounts/delays/queue";
import { listRelaySubjects, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { countSettled } from "@cardkeep/db/queries/chain/relay/bySubject";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import { type Context, type Work, type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { countReverted, isBefore, type RevertedTransaction } from "../../chain/relay/countReverted.ts";
import { findMessageEnd } from "./chainHistory.ts";
import { failDelay } from "./failDelay.ts";
import { inTurn, settleOr } from "./settleOr.ts";

const againMs = 5_000;
const behindMs = 60_000;
/** A contract that is an owner can behave in every estimate and burn the gas of every block, so tries end. */
const triesMax = 5;
const refusedReason = `Blocks refused it ${triesMax} times, although the chain accepted it whenever it was asked`;

/** Why the chain refused an enqueue, and in which block: the state before it says nothing. The reason of a mined one is unknown. */
interface Refusal {
  reason: string | null;
  block?: bigint;
}

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
  const writes: Promise<WriteStep>[] = [];
  const refusal = { transaction, receipt, sharers: subjects.length };
  const taken = new Set<number>();
  for (const item of await listDelaysAmong(ctx.db, ids)) {
    if (item.status !== "QUEUING") {
      writes.push(countUnlessOvertaken(ctx, item, refusal));
      continue;
    }
    const { delayAddress: delay, messageHash, operation, to, value, data } = item;
    const unsigned = () =>
      listUnsignedEntriesOf(receipt.logs, { delay, operation, call: { to, value, data } }).find(
        ({ logIndex }) => !taken.has(logIndex),
      );
    // A sender of ours that an owner made an owner is believed without the signature: the entry is there all the same.
    const entry = findEnqueueLog(receipt.logs, { delay, messageHash }) ?? unsigned();
    if (entry) {
      taken.add(entry.logIndex);
      enqueued.push({ item, entry });
    } else refused.push(item);
  }
  writes.push(markEnqueued(ctx, receipt, enqueued));
  for (const item of refused) {
    const later = inTurn(countReverted(item, refusal), tryAgain(item));
    writes.push(settleOr(() => settleReverted(ctx, item, refusal), later));
  }
  return inTurn(...(await Promise.all(writes)));
}

/** Settles an operation whose enqueue a block refused; the gas counts unless another sender of the message was faster. */
async function settleReverted(
  ctx: WorkerContext,
  item: DelayTransaction,
  refusal: RevertedTransaction,
): Promise<WriteStep> {
  const { write, consumedBy } = await judgeRefusal(ctx, item, { reason: null, block: refusal.receipt.blockNumber });
  const isOvertaken = consumedBy !== null && (await isBefore(ctx, consumedBy, refusal.receipt));
  return isOvertaken ? write : inTurn(countReverted(item, refusal), write);
}

/** Counts the gas for an operation that the follower of the chain found in its queue before our transaction was settled. */
async function countUnlessOvertaken(
  ctx: WorkerContext,
  item: DelayTransaction,
  refusal: RevertedTransaction,
): Promise<WriteStep> {
  const { enqueuedHash: transactionHash, enqueuedBlock: blockNumber } = item;
  if (transactionHash === refusal.receipt.transactionHash) return writeNothing;
  const isQueued = transactionHash !== null && blockNumber !== null;
  if (isQueued && (await isBefore(ctx, { transactionHash, blockNumber }, refusal.receipt))) return writeNothing;
  return countReverted(item, refusal);
}

/**
 * Settles an operation whose enqueue the chain refused, by the state of its message on chain.
 *
 * @throws ChainUnavailable while the node lags, or the logs do not show what became of a consumed message
 */
export async function settleRefusedEnqueue(
  ctx: WorkerContext,
  item: DelayTransaction,
  refusal: Refusal,
): Promise<WriteStep> {
  return (await judgeRefusal(ctx, item, refusal)).write;
}

/** The write that settles a refused operation, and the entry that its message became in another transaction. */
async function judgeRefusal(
  ctx: WorkerContext,
  item: DelayTransaction,
  { reason, block: since }: Refusal,
): Promise<{ write: WriteStep; consumedBy: QueueEntry | null }> {
  const fail = (why: string) => ({
    write: (work: Work) => failDelay(work, item, why, block),
    consumedBy: null,
  });
  const head = await requireFollowed(ctx, since);
  const block = { blockNumber: head.number, blockHash: head.hash };
  const { delayAddress: delay, signer, messageHash } = item;
  // At this block, because the next call may reach another node.
  const isConsumed = await ctx.chain.isMessageConsumed({ delay, signer, messageHash }, head.number);
  if (isConsumed) {
    const end = await findMessageEnd(ctx, item);
    if (end === "invalidated") return fail("The signer invalidated the signed message");
    return { write: await markEnqueued(ctx, end, [{ item, entry: end }]), consumedBy: end };
  }
  if (reason !== null) return fail(reason);
  const earlier = await countSettled(ctx.db, item.id, { purposes: ["delay.enqueue"], statuses: ["MINED", "REVERTED"] });
  return earlier + 1 >= triesMax ? fail(refusedReason) : { write: tryAgain(item), consumedBy: null };
}

const tryAgain =
  ({ safeId, requestId }: DelayTransaction): WriteStep =>
  ({ tx }) =>
    enqueue(tx, "delay.relay", { safeId, requestId }, againMs);

/**
 * How long after its cooldown an operation behind others is looked at. The end of the one before it has it looked at anyway, so
 * however many people fill their queues, their jobs do not come due at once.
 */
const waitBehind = (place: number): number => (place === 0 ? 0 : behindMs + place * 1_000);

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
    restOn(work, enqueuedBy);
    // Cooldowns run on the chain's clock, which may differ from this machine's.
    const chainNowMs = latest.timestamp * 1000 + now.getTime() - lookedAt.getTime();
    const places = await countDelaysBefore(tx, [...moved]);
    const jobs = queued
      .filter(({ id }) => moved.has(id))
      .map(({ id: delayId, requestId, readyAt }) => ({
        payload: { delayId, requestId },
        delayMs: readyAt.getTime() - chainNowMs + waitBehind(places.get(delayId) ?? 0),
      }));
    await enqueueAll(tx, "delay.dispatch", jobs);
  };
}
