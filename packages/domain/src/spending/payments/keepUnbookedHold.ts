/** The hold of a payment whose report cannot be booked: it stays, until operators release it or the issuer lets it go. */
import { findSafe, hasCurrency, lockSafe, type CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardPayment, findPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../../core/context.ts";
import { atLeastZero, sumOf } from "../../core/money.ts";
import { applyReport } from "./applyReport.ts";
import { sumClearings } from "./clearingSums.ts";
import { computeHeldCents } from "./holdEnd.ts";
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
 * paid from the hold once it is booked, so the hold stays until operators release it: closing a case says nothing of it.
 */
export function findEnded(
  { authorization, ...report }: Pick<ThreadReport, "authorization" | "clearings" | "faults">,
  payment: Pick<CardPayment, "capturedCents">,
): ThreadReport["authorization"] {
  if (authorization === null || authorization.status === "pending") return null;
  return sumWaitingCaptures(report, payment) > 0n ? null : authorization;
}

/** A hold beside which captures wait. */
export interface WaitingHold {
  heldCents: bigint;
  waitingCents: bigint;
  /** Whether the issuer ended its authorization, so that operators alone end it. */
  isEnded: boolean;
}

/** The hold of a payment beside which captures wait; null without one of both. */
export function findWaitingHold(
  report: Pick<ThreadReport, "authorization" | "clearings" | "faults">,
  payment: CardPayment,
  tokenSymbol: CurrencySafe["tokenSymbol"],
): WaitingHold | null {
  const [heldCents, waitingCents] = [computeHeldCents(payment, tokenSymbol), sumWaitingCaptures(report, payment)];
  if (payment.status !== "AUTHORIZED" || heldCents === 0n || waitingCents === 0n) return null;
  return { heldCents, waitingCents, isEnded: report.authorization?.status !== "pending" };
}

/** Cents that the issuer takes by captures that are not booked. What has an unknown type, such as a fee, is none. */
function sumWaitingCaptures(
  { clearings, faults }: Pick<ThreadReport, "clearings" | "faults">,
  { capturedCents }: Pick<CardPayment, "capturedCents">,
): bigint {
  const faulty = faults.filter(({ fault, signedCents }) => fault !== "type" && signedCents < 0n);
  const faultyCents = sumOf(faulty.map(({ signedCents }) => -signedCents));
  return atLeastZero(sumClearings(clearings).capturedCents - capturedCents) + faultyCents;
}
