import { addDecisions } from "@cardkeep/db/queries/partners/hours";
import { findPayment, type PaymentKey } from "@cardkeep/db/queries/spending/payments";
import { issuerMsMax } from "@cardkeep/db/schema/partners/hours";
import type { WorkerContext } from "../../core/context.ts";

/**
 * Counts a decline of the issuer's own among those of the hour, after the commit that recorded its payment: many at once wait for no
 * row of another. A process that is killed between both loses one count.
 */
export async function countIssuerDecline(
  { db, clock }: Pick<WorkerContext, "db" | "clock">,
  key: PaymentKey,
): Promise<void> {
  const payment = await findPayment(db, key);
  if (payment?.status !== "DECLINED" || payment.declineReason === null) return;
  const count = { reason: payment.declineReason, msMax: issuerMsMax, count: 1 };
  await addDecisions(db, [count], await clock.now(db));
}
