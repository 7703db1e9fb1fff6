/** Ends a transfer of card money in the caller's commit: its state, its booking, its event, and what follows it. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { type CurrencySafe, findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { findClearing, findPayment } from "@cardkeep/db/queries/spending/payments";
import {
  type CardTransfer,
  listTransfers,
  moveTransfer,
  moveTransferBack,
} from "@cardkeep/db/queries/spending/transfers";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Context, Work } from "../../core/context.ts";
import { recordViolation } from "../../accounts/integrity/recordViolation.ts";
import { chainTargetOf, computeMove, hasFailedSpend } from "./debtAmounts.ts";
import { settleHoldBeside } from "./holdEnd.ts";
import { book, paymentOf, planTransfer } from "./planTransfer.ts";
import { publishPayment } from "./publishPayment.ts";
import { recordDebt } from "./recordDebt.ts";
import { addRefundMessage } from "./addRefundMessage.ts";
import { closeWaitingReturn } from "./waitingReturn.ts";

/** Ends a transfer whose money moved in a transaction, and enqueues the next one of its thread. */
export async function completeTransfer(
  ctx: Context,
  work: Work,
  transfer: CardTransfer,
  { hash, block }: { hash: Hex; block: SeenBlock },
): Promise<void> {
  const { tx, now } = work;
  const { blockNumber, blockHash } = block;
  await lockSafe(tx, transfer.safeId);
  const done = await moveTransfer(tx, transfer, "DONE", {
    hash,
    endedBlock: blockNumber,
    reason: null,
    updatedAt: now,
  });
  if (!done) return;
  restOn(work, { blockNumber, blockHash });
  const { amount, direction } = done;
  await addRefundMessage(work, done);
  await book(
    work,
    done,
    direction === "spend" ? { held: -amount, settlement: amount } : { settlement: -amount, safe: amount },
  );
  if (direction === "return") await closeWaitingReturn(work, done);
  await publishEnd(ctx, work, done, "card.transaction.confirmed");
  const thread = await listTransfers(tx, done.userId, [done.paymentId]);
  const next = thread.find(({ status }) => status === "PLANNED");
  if (next) await enqueue(tx, "card.transfer", { transferId: next.id, requestId: next.requestId });
  await planRest(ctx, work, done, thread);
  if (hasFailedSpend(thread)) await recordDebt(work, paymentOf(done));
  const paid = direction === "spend" ? await findPayment(tx, paymentOf(done)) : null;
  if (paid) await settleHoldBeside(ctx.policy, work, paid);
}

/**
 * Plans what a thread lacks, or has too much of. A reorganisation revives spends that were counted as failed, and returns that
 * ended with them and were planned anew.
 */
async function planRest(ctx: Context, work: Work, done: CardTransfer, thread: readonly CardTransfer[]): Promise<void> {
  const seen = await findPayment(work.tx, paymentOf(done));
  if (!seen || computeMove(chainTargetOf(seen, thread), thread) === null) return;
  const safe = await findSafe(work.tx, done.safeId);
  if (safe && hasCurrency(safe)) await planTransfer(ctx, work, safe, seen);
}

/**
 * Ends a spend that the chain refused, or that ran (`hasRun`) and moved nothing; its hold ends with it. A Safe that runs a
 * spend and moves nothing is recorded as changed.
 *
 * What was planned behind it rested on its money and ends with it. From now on the payment's money is collected as a debt.
 * Answers whether it ended now.
 */
export async function failSpend(
  ctx: Context,
  work: Work,
  safe: CurrencySafe,
  transfer: CardTransfer,
  { reason, hash, block, hasRun = false }: { reason: string; hash: Hex | null; block: SeenBlock; hasRun?: boolean },
): Promise<boolean> {
  const { tx, now } = work;
  await lockSafe(tx, safe.id);
  // Returns are planned behind the lock of the payment's own Safe, and a collection may be from another one.
  await lockPayment(tx, paymentOf(transfer));
  const ended = { endedBlock: block.blockNumber, updatedAt: now };
  const failed = await moveTransfer(tx, transfer, "FAILED", { ...ended, reason, hash });
  if (!failed) return false;
  restOn(work, block);
  // Code of a known kind moves the money or reverts.
  if (hasRun && hash) await recordViolation(ctx, work, { safeId: safe.id, transferId: failed.id, reason, hash, block });
  await book(work, failed, { held: -failed.amount, safe: failed.amount });
  await publishEnd(ctx, work, failed, "card.transaction.failed");
  const behind = (await listTransfers(tx, failed.userId, [failed.paymentId])).filter(
    ({ status }) => status === "PLANNED",
  );
  for (const next of behind) {
    const dropped = await moveTransfer(tx, next, "FAILED", { ...ended, reason: "What it follows failed" });
    if (dropped?.direction === "spend") await book(work, dropped, { held: -dropped.amount, safe: dropped.amount });
  }
  const payment = await findPayment(tx, paymentOf(failed));
  if (payment) await planTransfer(ctx, work, safe, payment, behind.at(-1));
  await recordDebt(work, paymentOf(failed), failed.disputeId);
  return true;
}

async function publishEnd(
  ctx: Context,
  work: Work,
  { paymentId, userId, clearingId }: CardTransfer,
  eventType: "card.transaction.confirmed" | "card.transaction.failed",
): Promise<void> {
  const payment = await findPayment(work.tx, { id: paymentId, userId });
  if (!payment) throw new Error(`Payment ${paymentId} has no row`);
  await publishPayment(
    ctx,
    work,
    eventType,
    payment,
    clearingId === null ? null : await findClearing(work.tx, { id: clearingId, paymentId, userId }),
  );
}

/**
 * Rolls back a transfer whose block is gone, in the records and in the ledger. The caller sends its signed transaction again,
 * where there is one; a transfer without one is signed anew.
 */
export async function rollBackTransfer(work: Work, ended: CardTransfer): Promise<void> {
  const back = await moveTransferBack(work.tx, ended, work.now);
  if (!back) return;
  const { amount, direction } = back;
  if (direction === "spend") {
    const from = ended.status === "DONE" ? "settlement" : "safe";
    await book(work, back, { [from]: -amount, held: amount });
  } else if (ended.status === "DONE") {
    await book(work, back, { safe: -amount, settlement: amount });
  }
  await recordDebt(work, paymentOf(back));
  if (back.status !== "PLANNED") return;
  await enqueue(work.tx, "card.transfer", { transferId: back.id, requestId: back.requestId });
}
