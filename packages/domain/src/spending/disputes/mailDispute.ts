import { centDecimals } from "@cardkeep/contract/core/currencies";
import { listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { findDispute } from "@cardkeep/db/queries/spending/disputes";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { WorkerContext } from "../../core/context.ts";
import { composeMail, languageOf } from "../../core/messages/composeMessage.ts";
import { formatAmountFor, formatDayFor } from "../../core/messages/formatFor.ts";
import { mailNews } from "../../core/messages/mailNews.ts";
import { nameEvidence } from "./nameEvidence.ts";

/**
 * A dispute with its payment, its user and the user's language; null where nothing is to be mailed. `cents` is what is
 * disputed: before a capture, what was approved.
 */
export async function readMailed(ctx: WorkerContext, disputeId: string) {
  const dispute = await findDispute(ctx.db, disputeId);
  if (!dispute) return null;
  const { paymentId: id, userId } = dispute;
  const [user, payment] = await Promise.all([findUser(ctx.db, userId), findPayment(ctx.db, { id, userId })]);
  if (!user || !payment || user.erasedAt !== null) return null;
  const language = languageOf(ctx, user);
  const format = (cents: bigint): string => formatAmountFor(language, cents, payment.billingCurrency, centDecimals);
  const cents = dispute.amountCents ?? (payment.capturedCents > 0n ? payment.capturedCents : payment.authorizedCents);
  return { dispute, payment, user, language, cents, format };
}

/** Whether a state is worth a mail. */
const isReported = (status: DisputeStatus): boolean => status !== "requested" && status !== "created";

/** Mails a user what has become of a dispute. */
export async function mailDispute(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const found = await readMailed(ctx, disputeId);
  if (!found) return;
  const { dispute, payment, user, language, cents, format } = found;
  const { status, reason, submitBy } = dispute;
  const isDraft = status === "created";
  const missing = isDraft ? listMissingEvidence(reason, await listEvidenceInfo(ctx.db, payment.id)) : [];
  const isWaiting = missing.length > 0;
  if (!isWaiting && !isReported(status)) return;
  const values = {
    state: isWaiting ? nameWaiting(submitBy) : status,
    missing: nameEvidence(language, missing),
    amount: format(cents),
    day: submitBy === null ? "" : formatDayFor(language, submitBy),
  };
  const mail = composeMail(ctx, language, "dispute", { values });
  const payload = { disputeId, requestId: ctx.requestId };
  await mailNews(ctx, user, { about: "payment", mail, task: "card.disputeMail", payload });
}

const nameWaiting = (submitBy: Date | null): string => (submitBy === null ? "evidence" : "evidenceBy");

/** Mails a user that the money of a reported payment was returned, or is collected again. */
export async function mailCredit(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const found = await readMailed(ctx, disputeId);
  if (!found) return;
  const { dispute, user, language, cents, format } = found;
  const { creditCents, creditDecidedAt } = dispute;
  // It came back by itself meanwhile.
  if (creditDecidedAt === null) return;
  const values =
    creditCents > 0n
      ? { state: "returned", amount: format(creditCents) }
      : { state: "collected", amount: format(cents) };
  const mail = composeMail(ctx, language, "disputeCredit", { values });
  const payload = { disputeId, requestId: ctx.requestId };
  await mailNews(ctx, user, { about: "payment", mail, task: "card.creditMail", payload });
}
