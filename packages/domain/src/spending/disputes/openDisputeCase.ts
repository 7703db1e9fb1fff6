import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { DisputeReport } from "@cardkeep/providers/issuer/disputes";
import { openCase } from "../../core/openCase.ts";
import type { Work } from "../../core/context.ts";

/**
 * Opens a case for a dispute that the issuer goes on with and that moves no money here: it ended here before, or it is the
 * payment's second one. The case is over what the issuer paid so far, so it is open again when more arrives.
 *
 * @param disputeId our own, if it is one of ours
 */
export async function openDisputeCase(
  work: Work,
  { id: paymentId, userId, billingCurrency: currency }: CardPayment,
  { issuerDisputeId, status, reinstatedCents: amountCents }: DisputeReport,
  disputeId: string | null,
): Promise<void> {
  if (status !== "submitted" && status !== "won") return;
  await openCase(work, {
    kind: "uncredited_dispute",
    userId,
    paymentId,
    ...(disputeId !== null && { disputeId }),
    amountCents,
    currency,
    note:
      `${issuerDisputeId} is ${status} at the issuer, and does not count here. Nothing of it is credited to the Safe. ` +
      "Return what the issuer pays by a refund of the payment.",
  });
}
