import { tokens } from "@cardkeep/chain/tokens";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findDispute } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { openCase } from "../../core/openCase.ts";
import type { Work } from "../../core/context.ts";
import { baseUnitsToCents } from "../../core/money.ts";

/** Opens a case for a dispute's credit that the Safe does not give back. Its collection goes on. */
export async function openCreditCase(
  work: Work,
  { payment, disputeId, owed }: { payment: CardPayment; disputeId: string; owed: bigint },
): Promise<void> {
  const [dispute, safe] = await Promise.all([findDispute(work.tx, disputeId), findSafe(work.tx, payment.safeId)]);
  if (!dispute || !safe || !hasCurrency(safe)) throw new Error(`Payment ${payment.id} has no dispute or no Safe`);
  await openCase(work, {
    kind: dispute.status === "lost" || dispute.status === "expired" ? "dispute_loss" : "dispute_taken_back",
    userId: payment.userId,
    paymentId: payment.id,
    disputeId,
    amountCents: baseUnitsToCents(owed, tokens[safe.tokenSymbol]),
    currency: payment.billingCurrency,
    note: "The Safe does not hold enough to give the credit back. It is collected as money arrives. Decide what is to become of the rest.",
  });
}
