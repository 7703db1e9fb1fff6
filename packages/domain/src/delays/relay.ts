/** From accepted to queued on chain: QUEUING to WAITING. */
import { findEnqueueLog, type QueueEntry } from "@cardkeep/chain/delay";
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/reader";
import { enqueue } from "@cardkeep/db/jobs";
import {
  type DelayTransaction,
  findDelay,
  findNextToEnqueue,
  moveDelay,
  updateDelay,
} from "@cardkeep/db/queries/delays";
import { findRelayTransaction, type RelayTransaction } from "@cardkeep/db/queries/relayers";
import { lockSafe } from "@cardkeep/db/queries/safes";
import { restOn } from "../chain/fence.ts";
import type { Work, WorkerContext } from "../context.ts";
import { generateId } from "../ids.ts";
import { operationGasMax, pickRelayer, quoteRelay, signRelayTransaction } from "../relay/sign.ts";
import { findQueueEntry } from "./chainHistory.ts";
import { failDelay } from "./fail.ts";

const again = 5_000;

/**
 * Signs the enqueue of a Safe's oldest accepted operation, and asks for the next one.
 *
 * The chain is asked without a lock; under the Safe's row lock the operation must still be the oldest.
 */
export async function relayNext(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const item = await findNextToEnqueue(ctx.db, safeId);
  if (!item) return;
  const call = { to: item.delayAddress, value: 0n, data: item.enqueueData };
  const relayer = pickRelayer(ctx, safeId);
  try {
    const quote = await quoteRelay(ctx, relayer, call, { gasMax: operationGasMax });
    await ctx.commit(async (work) => {
      await lockSafe(work.tx, safeId);
      const oldest = await findNextToEnqueue(work.tx, safeId);
      if (oldest?.id === item.id) {
        const isRetry = (await findRelayTransaction(work.tx, item.enqueueTaskId)) !== null;
        const id = isRetry ? generateId() : item.enqueueTaskId;
        await updateDelay(work.tx, item.id, ["QUEUING"], { enqueueTaskId: id, updatedAt: work.now });
        await signRelayTransaction(ctx, work, {
          id,
          purpose: "delay.enqueue",
          subjectId: item.id,
          requestId: item.requestId,
          relayer,
          call,
          quote,
        });
      }
      if (oldest) await enqueue(work.tx, "delay.relay", { safeId, requestId: work.requestId });
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    const write = await judge(ctx, item, error.reason);
    await ctx.commit(async (work) => {
      await write(work);
      await enqueue(work.tx, "delay.relay", { safeId, requestId: work.requestId });
    });
  }
}

/** What our mined enqueue means: queued by it, queued by somebody who relayed the same bytes first, or neither. */
export async function settleEnqueue(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<(work: Work) => Promise<void>> {
  const item = await findDelay(ctx.db, transaction.subjectId);
  if (item?.status !== "QUEUING") return async () => {};
  const entry = findEnqueueLog(receipt.logs, { delay: item.delayAddress, messageHash: item.messageHash });
  if (entry) return markQueued(ctx, item, entry);
  return judge(ctx, item, null);
}

/** Decides about an operation whose enqueue the chain refused, from what the chain says of its message. */
async function judge(
  ctx: WorkerContext,
  item: DelayTransaction,
  reason: string | null,
): Promise<(work: Work) => Promise<void>> {
  const head = await ctx.chain.getBlock();
  const block = { blockNumber: head.number, blockHash: head.hash };
  const isConsumed = await ctx.chain.isMessageConsumed({
    delay: item.delayAddress,
    signer: item.signer,
    messageHash: item.messageHash,
  });
  const entry = isConsumed ? await findQueueEntry(ctx, item) : null;
  if (entry) return markQueued(ctx, item, entry);
  if (isConsumed) return (work) => failDelay(work, item, "The signer invalidated the signed message", block);
  if (reason !== null) return (work) => failDelay(work, item, reason, block);
  return ({ tx }) => enqueue(tx, "delay.relay", { safeId: item.safeId, requestId: item.requestId }, again);
}

async function markQueued(
  ctx: WorkerContext,
  item: DelayTransaction,
  entry: QueueEntry,
): Promise<(work: Work) => Promise<void>> {
  const lookedAt = await ctx.clock.now(ctx.db);
  const [block, state, latest] = await Promise.all([
    ctx.chain.getBlockAt(entry.blockNumber),
    ctx.chain.getDelayState(item.delayAddress),
    ctx.chain.getBlock(),
  ]);
  if (block?.hash !== entry.blockHash) throw new ChainUnavailable("The block of an enqueue is not canonical any more");
  const readyAt = new Date((block.timestamp + state.cooldownSeconds) * 1000);
  const expiresAt = new Date(readyAt.getTime() + state.expirationSeconds * 1000);
  // By the chain's clock, which need not be this machine's.
  const cooldownMs = readyAt.getTime() - latest.timestamp * 1000;
  return async (work) => {
    const { tx, now } = work;
    const moved = await moveDelay(tx, item.id, "WAITING", {
      queueNonce: entry.queueNonce,
      enqueuedHash: entry.transactionHash,
      enqueuedBlock: entry.blockNumber,
      readyAt,
      expiresAt,
      updatedAt: now,
    });
    if (!moved) return;
    await restOn(work, entry);
    const { id: delayId, requestId } = moved;
    await enqueue(tx, "delay.dispatch", { delayId, requestId }, cooldownMs - (now.getTime() - lookedAt.getTime()));
  };
}
