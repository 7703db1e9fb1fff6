/** The hold of a payment whose report cannot be booked: it stays, until operators release it or the issuer lets it go. */
import { findSafe, hasCurrency, lockSafe, type CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardPayment, findPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import { isUnmatchedClosed } from "@cardkeep/db/queries/spending/refunds";
import type { UnmatchedReason } from "@cardkeep/db/schema/spending/unmatchedThreads";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../../core/context.ts";
import { applyReport } from "./applyReport.ts";
import { sumClearings, sumSigned } from "./clearingSums.ts";
import { buildLostReport } from "./lostThread.ts";

/** Runs `endIfReleased` in a commit of its own, where the payment is known. */
export async function keepUnbookedHold(ctx: WorkerContext, known: CardPayment | null): Promise<void> {
  const safe = known && (await findSafe(ctx.db, known.safeId));
  if (!safe || !hasCurrency(safe)) return;
  await ctx.commit(async (work) => {
    await lockSafe(work.tx, safe.id);
    const payment = await findPayment(work.tx, known);
    if (payment) await endIfReleased(ctx, work, safe, payment);
  });
}

/**
 * Ends a hold that operators released, or whose authorization the issuer `ended`, behind the Safe's lock: what the issuer reports
 * beside it waits as a case. Any other hold is looked at again a day later, as one without news. Answers the payment after that.
 */
export async function endIfReleased(
  ctx: WorkerContext,
  work: Work,
  safe: CurrencySafe,
  payment: CardPayment,
  ended: ThreadReport["authorization"] = null,
): Promise<CardPayment> {
  const { status, holdEndedAt } = payment;
  if (status !== "AUTHORIZED") return payment;
  if (holdEndedAt === null && ended === null) return updatePayment(work.tx, payment, { updatedAt: work.now });
  const booked = await buildLostReport(work.tx, payment);
  await applyReport(ctx, work, safe, payment, ended ? { ...booked, authorization: ended } : booked);
  return (await findPayment(work.tx, payment)) ?? payment;
}

/**
 * The authorization of a report that cannot be booked, where it has ended; null where its hold stays. A capture that waits is
 * paid from the hold if operators accept it, so the hold stays until they close its case.
 */
export async function findEnded(
  { tx }: Pick<Work, "tx">,
  report: ThreadReport,
  { reason, payment }: { reason: UnmatchedReason; payment: CardPayment },
): Promise<ThreadReport["authorization"]> {
  const { threadId, authorization } = report;
  if (authorization === null || authorization.status === "pending") return null;
  if (!hasWaitingCapture(report, payment)) return authorization;
  const isClosed = await isUnmatchedClosed(tx, { threadId, reason, amountMinor: sumSigned(report) });
  return isClosed ? authorization : null;
}

/** Whether the issuer takes money by captures that are not booked. What has an unknown type, such as a fee, is none. */
const hasWaitingCapture = (
  { clearings, faults }: Pick<ThreadReport, "clearings" | "faults">,
  { capturedCents }: Pick<CardPayment, "capturedCents">,
): boolean =>
  sumClearings(clearings).capturedCents > capturedCents ||
  faults.some(({ fault, signedCents }) => fault !== "type" && signedCents < 0n);
