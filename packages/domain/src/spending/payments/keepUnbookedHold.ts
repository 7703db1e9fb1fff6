/** The hold of a payment whose report cannot be booked: it stays, until operators release it. */
import { findSafe, hasCurrency, lockSafe, type CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardPayment, findPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import type { Work, WorkerContext } from "../../core/context.ts";
import { applyReport } from "./applyReport.ts";
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
 * Ends a hold that operators released, behind the Safe's lock: what the issuer reports beside it waits as a case. Any other
 * hold is looked at again a day later, as one without news. Answers the payment after that.
 */
export async function endIfReleased(
  ctx: WorkerContext,
  work: Work,
  safe: CurrencySafe,
  payment: CardPayment,
): Promise<CardPayment> {
  const { status, holdEndedAt, capturedCents } = payment;
  if (status !== "AUTHORIZED") return payment;
  if (holdEndedAt === null || capturedCents > 0n) return updatePayment(work.tx, payment, { updatedAt: work.now });
  await applyReport(ctx, work, safe, payment, await buildLostReport(work.tx, payment));
  return (await findPayment(work.tx, payment)) ?? payment;
}
