/** How a transfer of card money ends, by what the chain says of it. */
import { CallReverted } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/reader";
import { findSpendLog } from "@cardkeep/chain/spending";
import type { Hex } from "@cardkeep/contract/primitives";
import { enqueue } from "@cardkeep/db/jobs";
import type { SeenBlock } from "@cardkeep/db/queries/chain";
import { findDeploymentBlock, type RelayTransaction } from "@cardkeep/db/queries/relayTransactions";
import { type CurrencySafe, findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/safes";
import { findClearing, findPayment } from "@cardkeep/db/queries/spending";
import { type CardTransfer, findTransfer, listTransfers, moveTransfer } from "@cardkeep/db/queries/cardTransfers";
import { restOn } from "../chain/fence.ts";
import type { Context, Work, WorkerContext } from "../context.ts";
import { book, planTransfer, sumTransfers } from "./plan.ts";
import { tell } from "./tell.ts";

type Write = (work: Work) => Promise<void>;

/** What our mined spend means: it ran, somebody else had sent the same bytes before, or the chain refused it. */
export async function settleSpend(
  ctx: WorkerContext,
  { subjectId, relayer, to, value, data }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<Write> {
  const transfer = await findTransfer(ctx.db, subjectId);
  if (transfer?.status !== "SIGNED") return async () => {};
  const safe = await getTransferSafe(ctx, transfer);
  const { to: roles, messageHash } = transfer;
  if (messageHash && findSpendLog(receipt.logs, { roles, messageHash })) {
    return settleTransfer(ctx, transfer, { hash: receipt.transactionHash, block: receipt });
  }
  const reason = await ctx.chain.simulate({ from: relayer, call: { to, value, data } }).then(
    () => "It reverted when it was mined",
    (error: unknown) => {
      if (error instanceof CallReverted) return error.reason;
      throw error;
    },
  );
  return judgeSpend(ctx, safe, transfer, reason, receipt.transactionHash);
}

/** What our mined return means: given back, or still to be. */
export async function settleReturn(
  ctx: WorkerContext,
  { subjectId }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<Write> {
  const transfer = await findTransfer(ctx.db, subjectId);
  if (transfer?.status !== "SIGNED") return async () => {};
  if (receipt.status === "success") {
    return settleTransfer(ctx, transfer, { hash: receipt.transactionHash, block: receipt });
  }
  return async ({ tx, now }) => {
    await moveTransfer(tx, transfer.id, "PLANNED", { hash: null, updatedAt: now });
    await enqueue(tx, "card.transfer", { transferId: transfer.id, requestId: transfer.requestId });
  };
}

/** Decides about a spend that the chain refused: it may have run before, through whomever. */
export async function judgeSpend(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  reason: string,
  hash: Hex | null = null,
): Promise<Write> {
  const { to: roles, messageHash } = transfer;
  if (!messageHash) throw new Error(`Transfer ${transfer.id} is no spend`);
  const head = await ctx.chain.getBlock();
  const signer = ctx.rules.spenderAddress;
  if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash })) {
    const fromBlock = await findDeploymentBlock(ctx.db, safe.id);
    const logs = await ctx.chain.getLogs({ addresses: [roles], fromBlock, toBlock: head.number });
    const log = findSpendLog(logs, { roles, messageHash });
    if (log) return settleTransfer(ctx, transfer, { hash: log.transactionHash, block: log });
  }
  return (work) =>
    failSpend(ctx, work, safe, transfer, {
      reason,
      hash,
      block: { blockNumber: head.number, blockHash: head.hash },
    });
}

/** What ends a transfer as run by a transaction, wakes the one behind it, and is told. */
export const settleTransfer =
  (ctx: Context, transfer: CardTransfer, { hash, block }: { hash: Hex; block: SeenBlock }): Write =>
  async (work) => {
    const { tx, now } = work;
    const { blockNumber, blockHash } = block;
    const done = await moveTransfer(tx, transfer.id, "DONE", {
      hash,
      endedBlock: blockNumber,
      reason: null,
      updatedAt: now,
    });
    if (!done) return;
    await restOn(work, { blockNumber, blockHash });
    const { amount, direction } = done;
    await book(
      work,
      done,
      direction === "spend" ? { held: -amount, settlement: amount } : { settlement: -amount, safe: amount },
    );
    await tellOf(ctx, work, done, "card.transaction.confirmed");
    const thread = await listTransfers(tx, [done.paymentId]);
    const next = thread.find(({ status }) => status === "PLANNED");
    if (next) return enqueue(tx, "card.transfer", { transferId: next.id, requestId: next.requestId });
    await giveBackExcess(ctx, work, done, thread);
  };

/** After a reorganisation a spend may have run that was counted as failed, and been planned anew. */
async function giveBackExcess(
  ctx: Context,
  work: Work,
  { paymentId, safeId }: CardTransfer,
  thread: readonly CardTransfer[],
): Promise<void> {
  const payment = await findPayment(work.tx, paymentId);
  if (!payment || sumTransfers(thread) <= payment.target) return;
  const safe = await lockSafe(work.tx, safeId);
  if (safe && hasCurrency(safe)) await planTransfer(ctx, work, safe, payment);
}

/**
 * Ends a spend that the chain refuses; the hold ends with it. What was planned behind it rested on its money and is
 * planned anew: a claim is collected once more, everything else has nothing to give back.
 */
async function failSpend(
  ctx: Context,
  work: Work,
  safe: CurrencySafe,
  transfer: CardTransfer,
  { reason, hash, block }: { reason: string; hash: Hex | null; block: SeenBlock },
): Promise<void> {
  const { tx, now } = work;
  await lockSafe(tx, safe.id);
  const ended = { endedBlock: block.blockNumber, updatedAt: now };
  const failed = await moveTransfer(tx, transfer.id, "FAILED", { ...ended, reason, hash });
  if (!failed) return;
  await restOn(work, block);
  await book(work, failed, { held: -failed.amount, safe: failed.amount });
  await tellOf(ctx, work, failed, "card.transaction.failed");
  const behind = (await listTransfers(tx, [failed.paymentId])).filter(({ status }) => status === "PLANNED");
  for (const next of behind) {
    const dropped = await moveTransfer(tx, next.id, "FAILED", { ...ended, reason: "What it follows failed" });
    if (dropped?.direction === "spend") await book(work, dropped, { held: -dropped.amount, safe: dropped.amount });
  }
  const payment = behind.length > 0 ? await findPayment(tx, failed.paymentId) : null;
  if (payment) await planTransfer(ctx, work, safe, payment, behind.at(-1)?.clearingId ?? null);
}

async function tellOf(
  ctx: Context,
  work: Work,
  { paymentId, clearingId }: CardTransfer,
  eventType: "card.transaction.confirmed" | "card.transaction.failed",
): Promise<void> {
  const payment = await findPayment(work.tx, paymentId);
  if (!payment) throw new Error(`Payment ${paymentId} has no row`);
  await tell(ctx, work, eventType, payment, clearingId === null ? null : await findClearing(work.tx, clearingId));
}

/** The Safe of a transfer, which has a currency. */
export async function getTransferSafe(ctx: Context, { safeId }: CardTransfer): Promise<CurrencySafe> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe || !hasCurrency(safe)) throw new Error(`Safe ${safeId} has no currency`);
  return safe;
}
