/** Increments of an authorization: what is known of it, and the decision written down. */
import { tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findDecision, insertDecision, insertDecisionIfNew } from "@cardkeep/db/queries/spending/decisions";
import type { SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import { type CardPayment, findPaymentByThread, updatePayment } from "@cardkeep/db/queries/spending/payments";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { RuleHit } from "../../core/cardRules/evaluateRules.ts";
import type { Context, Work } from "../../core/context.ts";
import type { Decline } from "./checkCard.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { checkIncrement, conflict, unknownAuthorization } from "./checkIncrement.ts";
import { recordHits } from "./checkRules.ts";
import { planTransferOf } from "./planTransfer.ts";
import { settleAfterAnswer } from "./syncDecisions.ts";
import { answerRepeated, buildDecision, buildDecisionRow, type Decision, toMerchantShare } from "./recordDecision.ts";

/** An authorization that a request wants to raise, read behind its Safe's lock. */
export interface Growing {
  payment: CardPayment;
  transfers: CardTransfer[];
  /** Why it cannot grow; null where it can. */
  decline: Decline | null;
}

/** The authorization of an increment, or the answer where there is none to raise or the request was decided before. */
export async function findGrowing(
  work: Work,
  request: AuthorizationRequest,
  card: SpendingCard,
): Promise<Growing | { answer: Decision }> {
  const { tx, requestId } = work;
  const { threadId, ordinal } = request;
  const payment = await findPaymentByThread(tx, threadId);
  if (!payment) {
    // The issuer approved the first request without us, or its report is still on its way.
    await enqueue(tx, "card.settle", { threadId, requestId });
    return { answer: buildDecision(unknownAuthorization) };
  }
  const [known, transfers] = await Promise.all([
    findDecision(tx, payment, ordinal),
    listTransfers(tx, payment.userId, [payment.id]),
  ]);
  const { cardId, safeId } = card;
  const decline = checkIncrement(payment, transfers, { cardId, safeId, currency: request.currency });
  if (decline === conflict) return { answer: buildDecision(conflict) };
  if (known) return { answer: answerRepeated(known, request) };
  return { payment, transfers, decline };
}

/** Writes the decision about an increment; an approval (without `decline`) needs the Safe's lock. */
export async function recordIncrement(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol">,
  { payment, transfers, approvedCents, decline, hits }: Growing & { approvedCents: bigint; hits: readonly RuleHit[] },
): Promise<Decision> {
  const { tx, now } = work;
  const row = buildDecisionRow(work, payment, request, { approvedCents, decline });
  await recordHits(work, hits, payment, request.amountCents);
  if (decline) {
    await insertDecision(tx, row);
    return buildDecision(decline);
  }
  const raised = await updatePayment(tx, payment, {
    authorizedCents: payment.authorizedCents + approvedCents,
    merchantMinor: payment.merchantMinor + toMerchantShare(request, approvedCents),
    target: payment.target + centsToBaseUnits(approvedCents, tokens[safe.tokenSymbol]),
    updatedAt: now,
  });
  await Promise.all([insertDecision(tx, row), planTransferOf(ctx, work, safe, raised, transfers)?.write()]);
  await settleAfterAnswer(work, payment, row);
  return buildDecision(null, { request, approvedCents });
}

/** Writes that an increment was declined; the authorization stays as it was. */
export async function declineIncrement(
  work: Work,
  request: AuthorizationRequest,
  card: SpendingCard,
  decline: Decline,
): Promise<Decision> {
  const growing = await findGrowing(work, request, card);
  if ("answer" in growing) return growing.answer;
  const { payment } = growing;
  const row = buildDecisionRow(work, payment, request, { approvedCents: 0n, decline });
  if (await insertDecisionIfNew(work.tx, row)) return buildDecision(decline);
  const known = await findDecision(work.tx, payment, request.ordinal);
  return known ? answerRepeated(known, request) : buildDecision(decline);
}
