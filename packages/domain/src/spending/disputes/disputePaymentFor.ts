/** A dispute that support opens for a cardholder, who gets a mail about it. */
import { type DisputeReason, disputeReasonKeys } from "@cardkeep/contract/core/disputeReasons";
import { fail } from "@cardkeep/contract/core/errors";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { OperatorContext, WorkerContext } from "../../core/context.ts";
import { composeMail } from "../../core/messages/composeMessage.ts";
import { mailNews } from "../../core/messages/mailNews.ts";
import { getPayment } from "../payments/getPayment.ts";
import { addText } from "./addText.ts";
import { nameOriginal, readOriginal } from "./originalPayment.ts";
import { beginDispute } from "./beginDispute.ts";
import { readMailed } from "./mailDispute.ts";

/** Characters of the holder's words, as the issuer takes them. */
const wordsLengthMax = 2_500;

function readWords(given: string): string {
  const words = given.trim();
  if (words !== "" && words.length <= wordsLengthMax) return words;
  return fail("request.invalid", { text: `The holder's words have 1 to ${wordsLengthMax} characters` });
}

const isReason = (word: string): word is DisputeReason => disputeReasonKeys.some((key) => key === word);

/**
 * Opens the dispute of a payment as its holder reports it, with the same effects as the holder's own request. The holder's
 * words are sealed as evidence; the action log has none of them.
 *
 * @param original the other payment of a double charge; without it the service names the only one that it knows
 * @throws operators.reason_required, transactions.not_found, transactions.declined, transactions.no_money,
 *   transactions.invalid_reason, transactions.already_disputed, request.invalid
 */
export async function disputePaymentFor(
  ctx: OperatorContext,
  {
    reference,
    disputeReason,
    explanation,
    original = "",
  }: { reference: string; disputeReason: string; explanation: string; original?: string },
): Promise<CardDispute> {
  if (ctx.reason === null) fail("operators.reason_required");
  const found = await getPayment(ctx, reference);
  const reason = isReason(disputeReason) ? disputeReason : fail("transactions.invalid_reason");
  const words = readWords(explanation);
  const named = await readOriginal(ctx, found, original);
  return ctx.act("payments.dispute", async (work) => {
    const user = await lockUser(work.tx, found.userId);
    if (!user || user.erasedAt !== null) fail("transactions.not_found");
    const output = await beginDispute(work, found, reason);
    const { paymentId, userId } = output;
    await addText(ctx, work, { paymentId, userId, given: { explanation: words, ...named } });
    await nameOriginal(ctx, work, output);
    await enqueue(work.tx, "card.openedDisputeMail", { disputeId: output.id, requestId: work.requestId });
    return {
      output,
      subject: { kind: "payment", id: paymentId },
      before: null,
      after: { disputeId: output.id, disputeReason: reason, status: output.status },
    };
  });
}

/** Mails a holder that support opened a dispute, so that the holder notices one without a request. */
export async function mailOpenedDispute(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const found = await readMailed(ctx, disputeId);
  if (!found) return;
  const { user, language, cents, format } = found;
  const mail = composeMail(ctx, language, "disputeOpened", { values: { amount: format(cents) } });
  const payload = { disputeId, requestId: ctx.requestId };
  await mailNews(ctx, user, { about: "payment", mail, task: "card.openedDisputeMail", payload });
}
