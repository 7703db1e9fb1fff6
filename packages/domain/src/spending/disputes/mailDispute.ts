import { listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { findDispute } from "@cardkeep/db/queries/spending/disputes";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { WorkerContext } from "../../core/context.ts";
import { composeMail, languageOf } from "../../core/messages/composeMessage.ts";
import { formatAmountFor, formatDayFor } from "../../core/messages/formatFor.ts";

/** Decimals of the currencies of our cards. */
const centDecimals = 2;

/** Whether a state is worth a mail. */
const isReported = (status: DisputeStatus): boolean => status !== "requested" && status !== "created";

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
  if (!user || !payment || user.erasedAt !== null || !(isWaiting || isReported(status))) return;
  const language = languageOf(ctx, user);
  const cents = dispute.amountCents ?? payment.capturedCents;
  const values = {
    state: isWaiting ? nameEvidence(submitBy) : status,
    amount: formatAmountFor(language, cents, payment.billingCurrency, centDecimals),
    day: submitBy === null ? "" : formatDayFor(language, submitBy),
  };
  await ctx.mailer.send({ to: user.email, ...composeMail(ctx, language, "dispute", { values }) });
}

const nameEvidence = (submitBy: Date | null): string => (submitBy === null ? "evidence" : "evidenceBy");

/** Mails a user that the money of a reported payment was returned, or is collected again. */
export async function mailCredit(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const dispute = await findDispute(ctx.db, disputeId);
  if (!dispute) return;
  const { paymentId: id, userId, creditCents } = dispute;
  const [user, payment] = await Promise.all([findUser(ctx.db, userId), findPayment(ctx.db, { id, userId })]);
  if (!user || !payment || user.erasedAt !== null) return;
  const language = languageOf(ctx, user);
  const isReturned = creditCents > 0n;
  const cents = isReturned ? creditCents : (dispute.amountCents ?? payment.capturedCents);
  const amount = formatAmountFor(language, cents, payment.billingCurrency, centDecimals);
  const values = { state: isReturned ? "returned" : "collected", amount };
  await ctx.mailer.send({ to: user.email, ...composeMail(ctx, language, "disputeCredit", { values }) });
}
