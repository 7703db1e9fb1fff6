import { tokens } from "@cardkeep/chain/tokens";
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { hasCurrency, lockSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import {
  findIssuedDispute,
  findWaitingDispute,
  insertDispute,
  updateDispute,
} from "@cardkeep/db/queries/spending/disputes";
import { findPayment, findThreadPayment, type PaymentKey } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { DisputeReport } from "@cardkeep/providers/issuer/disputes";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { fraud, readCreditDue } from "./beginDispute.ts";
import { ownReasons } from "./deriveDispute.ts";
import { openDisputeCase } from "./openDisputeCase.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

/** A use may be booked later than its dispute comes: after a restore, or once operators accept it. */
const waitMsMax = 7 * dayMs;
const lookMsMax = hourMs;
const lookMsMin = 2_000;

/**
 * Adopts a dispute that was made at the issuer, or whose row a restored database lost. A payment has one dispute: the issuer's
 * second one of it becomes a case.
 *
 * @param since when its payment was first looked for, where that was in vain
 */
export async function adoptDispute(
  ctx: WorkerContext,
  { issuerDisputeId, since }: { issuerDisputeId: string; since?: string },
): Promise<void> {
  const report = await ctx.issuer.findDispute(issuerDisputeId);
  const threadId = report && (await ctx.issuer.findTransactionThread(report.transactionId));
  await requireTransfers(ctx, () => threadId ?? "");
  const key = threadId && (await findThreadPayment(ctx.db, threadId));
  if (threadId && !key) return awaitPayment(ctx, { issuerDisputeId, since });
  const payment = key && (await findPayment(ctx.db, key));
  if (!report || !payment) return warnOfUnknown(ctx, issuerDisputeId);
  await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    const safe = await lockSafe(tx, payment.safeId);
    const known = await findIssuedDispute(tx, issuerDisputeId);
    const row = {
      id: report.reference ?? generateId(),
      paymentId: payment.id,
      userId: payment.userId,
      reason: ownReasons[report.reason],
      requestId,
      createdAt: now,
    };
    const present = known ?? (await findWaitingDispute(tx, payment.id));
    const lost = present ? null : await readLostCredit(work, safe, payment, report);
    const adopted = present ?? (await insertDispute(tx, { ...row, creditDueAt: lost?.creditDueAt ?? null }));
    if (!adopted) {
      ctx.log.error({ issuerDisputeId, paymentId: payment.id }, "a payment has a second dispute");
      return openDisputeCase(work, payment, report, null);
    }
    const isCredited = lost !== null && lost.creditCents > 0n;
    const credit = isCredited ? { creditCents: lost.creditCents, creditDecidedAt: now } : {};
    await updateDispute(tx, adopted.id, { claimId: report.transactionId, ...credit });
    await enqueue(tx, "card.dispute", { disputeId: adopted.id, requestId });
  });
}

/**
 * What the law returns for a report of fraud that was ours and whose row is lost; null for any other dispute. How much was
 * returned is what the chain showed: see `restoreCredit`.
 */
async function readLostCredit(
  work: Work,
  safe: Safe | null,
  key: PaymentKey,
  { reference, reason }: DisputeReport,
): Promise<{ creditDueAt: Date; creditCents: bigint } | null> {
  const payment = await findPayment(work.tx, key);
  if (!payment || !safe || !hasCurrency(safe) || reference === null || ownReasons[reason] !== fraud) return null;
  // Others name a missing authorization too; a credit shows that the person reported fraud.
  if (reason !== "fraudulent" && payment.credit === 0n) return null;
  const creditDueAt = await readCreditDue(work, payment);
  return creditDueAt && { creditDueAt, creditCents: baseUnitsToCents(payment.credit, tokens[safe.tokenSymbol]) };
}

const warnOfUnknown = ({ log }: WorkerContext, issuerDisputeId: string): void =>
  log.warn({ issuerDisputeId }, "a dispute of the issuer names an unknown payment");

/** Looks again, less and less often. */
async function awaitPayment(
  ctx: WorkerContext,
  { issuerDisputeId, since }: { issuerDisputeId: string; since: string | undefined },
): Promise<void> {
  await ctx.commit(async ({ tx, now, requestId }) => {
    const beganAt = since ?? now.toISOString();
    const ageMs = now.getTime() - Date.parse(beganAt);
    if (ageMs >= waitMsMax) return warnOfUnknown(ctx, issuerDisputeId);
    const delayMs = spaceLooks(ageMs, { minMs: lookMsMin, maxMs: lookMsMax });
    await enqueue(tx, "card.adoptDispute", { issuerDisputeId, requestId, since: beganAt }, delayMs);
  });
}
