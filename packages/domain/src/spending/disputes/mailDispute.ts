import { listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { findDispute } from "@cardkeep/db/queries/spending/disputes";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { WorkerContext } from "../../core/context.ts";
import { formatCents } from "../payments/formatMoney.ts";

const texts: Readonly<Record<DisputeStatus, string | null>> = {
  requested: null,
  created: null,
  submitted: "is with the card network now. A decision usually takes 30 to 90 days.",
  won: "was decided for you.",
  lost: "was decided for the merchant.",
  expired: "ended, because it was not submitted in time or the merchant took no money.",
  taken_back: "was decided for you at first. The merchant appealed, and the decision was reversed.",
  refused: "could not be taken to the card network.",
  withdrawn: "was withdrawn.",
};

const askForEvidence = "needs more information from you before it can go to the card network. Please add it in the app";

/** Mails a user what has become of a dispute. */
export async function mailDispute(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const dispute = await findDispute(ctx.db, disputeId);
  if (!dispute) return;
  const { paymentId, userId, status, reason, submitBy } = dispute;
  const [user, payment, evidence] = await Promise.all([
    findUser(ctx.db, userId),
    findPayment(ctx.db, { id: paymentId, userId }),
    listEvidenceInfo(ctx.db, paymentId),
  ]);
  const isWaiting = status === "created" && listMissingEvidence(reason, evidence).length > 0;
  const until = submitBy === null ? "" : ` by ${submitBy.toISOString().slice(0, 10)}`;
  const text = isWaiting ? `${askForEvidence}${until}.` : texts[status];
  if (!user || !payment || user.erasedAt !== null || text === null) return;
  const amount = formatCents(dispute.amountCents ?? payment.capturedCents, payment.billingCurrency);
  await ctx.mailer.send({
    to: user.email,
    subject: "Your dispute of a card payment",
    text: `Your dispute of ${amount} ${text}\n`,
  });
}
