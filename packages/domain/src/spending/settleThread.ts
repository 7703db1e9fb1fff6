/** Brings a thread of card money to what the issuer says of it now. */
import { tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findWaitingDispute } from "@cardkeep/db/queries/spending/disputes";
import { deleteUnmatchedThread } from "@cardkeep/db/queries/refunds";
import { type CurrencySafe, findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/safes";
import {
  type CardClearing,
  type CardPayment,
  findPaymentByThread,
  findSpendingCard,
  growReversal,
  insertClearing,
  insertPayment,
  movePayment,
  updatePayment,
} from "@cardkeep/db/queries/spending/payments";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { toBaseUnits } from "./checkCard.ts";
import { recordDebt } from "./recordDebt.ts";
import { planTransfer } from "./plan.ts";
import { toMerchantMinor } from "./resource.ts";
import { recordUnmatched } from "./recordUnmatched.ts";
import { publishPayment } from "./publishPayment.ts";
import { deriveThreadState, type ThreadState } from "./deriveThreadState.ts";

const hourMs = 3_600_000;

/**
 * Asks the issuer for the whole thread and writes what has changed; the callback that led here is only the reason to ask,
 * so it may come late, twice, or never.
 *
 * What was asked before somebody else's change is not written over it: then the issuer is asked again.
 */
export async function settleThread(ctx: WorkerContext, { threadId }: { threadId: string }): Promise<void> {
  const known = await findPaymentByThread(ctx.db, threadId);
  const report = await ctx.issuer.findThread(threadId);
  if (!report) return ctx.log.warn({ threadId }, "the issuer does not know a thread that it told of");
  const owner = known ?? (await findSpendingCard(ctx.db, report.issuerCardId));
  const safe = owner && (await findSafe(ctx.db, owner.safeId));
  if (!owner || !safe || !hasCurrency(safe)) return ctx.log.warn({ threadId }, "a card is used that nobody here has");
  if (report.currency !== tokens[safe.tokenSymbol].fiat) return recordUnmatched(ctx, report, "currency");
  const card = known && (await findSpendingCard(ctx.db, report.issuerCardId));
  if (known && card?.cardId !== known.cardId) return recordUnmatched(ctx, report, "card");
  await ctx.commit(async (work) => {
    await lockSafe(work.tx, safe.id);
    await deleteUnmatchedThread(work.tx, threadId);
    const fresh = await findPaymentByThread(work.tx, threadId);
    if (fresh?.version !== known?.version) {
      return enqueue(work.tx, "card.settle", { threadId, requestId: work.requestId });
    }
    await apply(ctx, work, safe, fresh ?? (await open(work, report, owner)), report);
  });
}

/** The row of a thread that the issuer decided without us, or that we lost. */
async function open(
  { tx, now, requestId }: Work,
  report: ThreadReport,
  { userId, safeId, cardId }: { userId: string; safeId: string; cardId: string },
): Promise<CardPayment> {
  const { merchant } = report;
  const inserted = await insertPayment(tx, {
    id: generateId(),
    threadId: report.threadId,
    userId,
    safeId,
    cardId,
    status: "REQUESTED",
    authorizedCents: 0n,
    reversedCents: 0n,
    capturedCents: 0n,
    refundedCents: 0n,
    billingCurrency: report.currency,
    merchantMinor: report.merchantMinor,
    merchantCurrency: report.merchantCurrency,
    merchantName: merchant.name,
    merchantCity: merchant.city,
    merchantCountry: merchant.country,
    mcc: merchant.mcc,
    transactionType: report.transactionType,
    target: 0n,
    version: 0,
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  if (!inserted) throw new Error(`Thread ${report.threadId} was opened twice under one lock`);
  return inserted;
}

async function apply(
  ctx: WorkerContext,
  work: Work,
  safe: CurrencySafe,
  before: CardPayment,
  report: ThreadReport,
): Promise<void> {
  const weighed = deriveThreadState(report, before);
  const target = toBaseUnits(weighed.targetCents, tokens[safe.tokenSymbol]);
  if (!differs(before, { ...weighed, target })) return noteLook(work, before);
  const after = await write(ctx, work, before, weighed, target, report.authorization?.reason ?? null);
  const fresh = await insertNews(work, after, report);
  const cause = fresh.findLast(({ kind }) => kind !== "capture");
  if (target !== before.target) {
    await planTransfer(ctx, work, safe, after, cause?.id ?? null);
    await recordDebt(work, after.id);
  }
  if (before.status === "REQUESTED" && after.status === "AUTHORIZED") {
    await publishPayment(ctx, work, "card.transaction.created", after);
  }
  if (before.status !== "DECLINED" && after.status === "DECLINED") {
    await publishPayment(ctx, work, "card.transaction.declined", after);
  }
  const dispute = fresh.length > 0 ? await findWaitingDispute(work.tx, after.id) : null;
  if (dispute) await enqueue(work.tx, "card.dispute", { disputeId: dispute.id, requestId: dispute.requestId });
  for (const clearing of fresh) {
    const isCapture = clearing.kind === "capture";
    const eventType = isCapture ? "cleared" : clearing.kind === "refund" ? "refunded" : "reversed";
    await publishPayment(ctx, work, `card.transaction.${eventType}`, after, isCapture ? null : clearing);
  }
}

/** An authorization is asked about once a day while nothing is told of it: a callback may have been lost. */
async function noteLook({ tx, now }: Work, { id, updatedAt }: CardPayment): Promise<void> {
  if (now.getTime() - updatedAt.getTime() > hourMs) await updatePayment(tx, id, { updatedAt: now });
}

const differs = (row: CardPayment, next: ThreadState & { target: bigint }): boolean =>
  row.status !== next.status ||
  row.target !== next.target ||
  row.authorizedCents !== next.authorizedCents ||
  row.reversedCents !== next.reversedCents ||
  row.capturedCents !== next.capturedCents ||
  row.refundedCents !== next.refundedCents ||
  row.excessCents !== next.excessCents;

async function write(
  ctx: WorkerContext,
  { tx, now }: Work,
  before: CardPayment,
  { status, targetCents: _, ...amounts }: ThreadState,
  target: bigint,
  reason: string | null,
): Promise<CardPayment> {
  const isCleared = status === "CLEARED" || status === "CREDITED";
  const change = {
    ...amounts,
    target,
    clearedAt: before.clearedAt ?? (isCleared ? now : null),
    ...(status === "DECLINED" && { declineResult: before.declineResult ?? ("Other" as const), declineReason: reason }),
    updatedAt: now,
  };
  if (before.status === status) return updatePayment(tx, before.id, change);
  const moved = await movePayment(tx, before.id, status, change);
  if (moved) return moved;
  ctx.log.warn({ threadId: before.threadId, from: before.status, to: status }, "the issuer goes back on its word");
  return updatePayment(tx, before.id, change);
}

/** Writes what the issuer had not said before, and answers it. */
async function insertNews({ tx, now }: Work, payment: CardPayment, report: ThreadReport): Promise<CardClearing[]> {
  const shared = { paymentId: payment.id, userId: payment.userId, createdAt: now };
  const news: CardClearing[] = [];
  for (const { id, kind, amountCents, merchantMinor } of report.clearings) {
    const inserted = await insertClearing(tx, { ...shared, id, kind, amountCents, merchantMinor });
    if (inserted) news.push(inserted);
  }
  if (payment.reversedCents > 0n) {
    const grown = await growReversal(tx, {
      ...shared,
      id: `${payment.threadId}:reversal`,
      kind: "reversal",
      amountCents: payment.reversedCents,
      merchantMinor: toMerchantMinor(payment.reversedCents, payment),
    });
    if (grown) news.push(grown);
  }
  return news;
}
