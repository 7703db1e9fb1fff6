import { fail } from "@cardkeep/contract/core/errors";
import { findSafe, lockSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { type CardPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import type { OperatorContext } from "../../core/context.ts";
import { formatCents } from "./formatMoney.ts";
import { getPayment } from "./getPayment.ts";
import { canRelease, computeHeldCents } from "./holdEnd.ts";

const describeHeld = (payment: CardPayment, safe: Safe | null): string =>
  formatCents(computeHeldCents(payment, safe?.tokenSymbol ?? null), payment.billingCurrency);

/**
 * Ends the hold of a payment, or what a capture left of it, before the issuer does. The worker returns the money to the Safe. A
 * later capture is collected all the same. A hold that grew since a second person was asked is not released.
 *
 * @throws transactions.not_found, holds.none, operators.reason_required, operators.approval_needed, approvals.changed
 */
export async function releaseHold(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<{ paymentId: string; threadId: string }> {
  if (ctx.reason === null) fail("operators.reason_required");
  const known = await getPayment(ctx, reference);
  const subject = { kind: "payment", id: known.id } as const;
  const input = { reference: known.id, amount: describeHeld(known, await findSafe(ctx.db, known.safeId)) };
  await requireApproval(ctx, "holds.release", { input, subject });
  return ctx.act("holds.release", async (work) => {
    const { tx, now, requestId } = work;
    const safe = await lockSafe(tx, known.safeId);
    const payment = (await lockPayment(tx, known)) ?? fail("transactions.not_found");
    const { id: paymentId, threadId } = payment;
    if (!canRelease(payment, safe?.tokenSymbol ?? null)) fail("holds.none");
    requireSame(ctx, { amount: describeHeld(payment, safe) });
    await updatePayment(tx, payment, { holdEndedAt: now, updatedAt: now });
    await enqueue(tx, "card.settle", { threadId, requestId });
    return { output: { paymentId, threadId }, subject, before: { hold: "held" }, after: { hold: "released" } };
  });
}
