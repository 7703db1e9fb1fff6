/** A decision written down: the payment's row, its hold with its job, and its event. */
import { tokens } from "@cardkeep/chain/tokens";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import { type CardDecision, findDecision } from "@cardkeep/db/queries/spending/decisions";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import type { SpendingFacts, SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import { type CardPayment, findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { writeDecision } from "@cardkeep/db/queries/spending/writeDecision";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { enqueueBalanceChecks } from "../../accounts/balances/publishBalance.ts";
import type { Context, Work } from "../../core/context.ts";
import { recordHits } from "./checkRules.ts";
import type { RuleHit } from "../../core/cardRules/evaluateRules.ts";
import { buildPaymentRow } from "./buildPaymentRow.ts";
import type { Decline } from "./checkCard.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { planTransferOf } from "./planTransfer.ts";
import { buildTransactionEvent } from "./publishPayment.ts";
import { atLeastZero } from "./compareAmounts.ts";

export interface Decision {
  readonly approved: boolean;
  /** `approved`, or the code of the decline: see `declineWords.ts` of the contract. */
  readonly reason: string;
  /** The part that is approved, where it is less than what was asked for. */
  readonly amountCents?: bigint;
}

/** Writes a decision about a claimed thread and returns it; an approval (without `decline`) needs the Safe's lock. */
export async function recordDecision(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { safe, wallets }: { safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol">; wallets: SpendingFacts["wallets"] },
  {
    paymentId,
    card,
    decline,
    approvedCents,
    hits,
  }: {
    paymentId: string;
    card: SpendingCard;
    decline: Decline | null;
    approvedCents: bigint;
    hits: readonly RuleHit[];
  },
): Promise<Decision> {
  const authorizedCents = decline ? atLeastZero(request.amountCents) : approvedCents;
  const target = decline ? 0n : centsToBaseUnits(approvedCents, tokens[safe.tokenSymbol]);
  const amounts = { authorizedCents, merchantMinor: toMerchantShare(request, authorizedCents), target };
  const requested = buildPaymentRow(work, { ...card, id: paymentId }, request, amounts);
  const change = decline
    ? ({ status: "DECLINED", declineResult: decline.result, declineReason: decline.reason } as const)
    : ({ status: "AUTHORIZED" } as const);
  const spend = decline ? null : planTransferOf(ctx, work, safe, requested, []);
  const payment = { ...requested, ...change, version: requested.version + 1, cardToken: card.cardToken };
  const decision = buildDecisionRow(work, requested, request, { approvedCents, decline });
  const eventType = decline ? "card.transaction.declined" : "card.transaction.created";
  const reported = { payment, safe, wallets, transfers: spend ? [spend.row] : [], clearing: null };
  const event = buildTransactionEvent(ctx, work, eventType, reported);
  const transfer = spend?.entry ? { row: spend.row, entry: spend.entry } : null;
  // One connection runs them in this order, so that each finds the rows that it refers to.
  const [isPending] = await Promise.all([
    writeDecision(work.tx, { payment, decision, transfer, event }),
    recordHits(work, hits, payment, atLeastZero(request.amountCents)),
    spend?.enqueueJob(),
  ]);
  // Partners that get the event are those that get the balance.
  if (isPending) {
    work.wake("events");
    if (spend) await enqueueBalanceChecks(work, { ids: [safe.id] });
  }
  return buildDecision(decline, { request, approvedCents });
}

/** The row of a decision about a request; nothing is approved of a declined one. */
export const buildDecisionRow = (
  { now: createdAt }: Pick<Work, "now">,
  { id: paymentId, userId }: Pick<CardPayment, "id" | "userId">,
  { ordinal, amountCents: askedCents, feeCents, cashbackCents }: AuthorizationRequest,
  { approvedCents, decline }: { approvedCents: bigint; decline: Decline | null },
): CardDecision => ({
  paymentId,
  ordinal,
  userId,
  askedCents,
  approvedCents: decline ? 0n : approvedCents,
  feeCents,
  cashbackCents,
  isApproved: decline === null,
  reason: decline?.reason ?? approvedReason,
  isByIssuer: false,
  createdAt,
});

const approvedReason = "approved";

/** The merchant's amount for the approved part of a request. */
export const toMerchantShare = (
  { amountCents, merchantMinor }: Pick<AuthorizationRequest, "amountCents" | "merchantMinor">,
  approvedCents: bigint,
): bigint =>
  approvedCents === amountCents || amountCents <= 0n
    ? atLeastZero(merchantMinor)
    : (atLeastZero(merchantMinor) * approvedCents) / amountCents;

/** A decline that leaves no row. */
export const refuse = (reason: DeclineReason): Decision => ({ approved: false, reason });

/** The answer to the issuer: approved where nothing declines, with the amount where it is a part of what was asked for. */
export const buildDecision = (
  decline: Decline | null,
  part?: { request: Pick<AuthorizationRequest, "amountCents">; approvedCents: bigint },
): Decision => {
  if (decline) return refuse(decline.reason);
  const isPart = part !== undefined && part.approvedCents < part.request.amountCents;
  return { approved: true, reason: approvedReason, ...(isPart && { amountCents: part.approvedCents }) };
};

/** The recorded decision, for the same request again; a decline where the amount differs. */
export function answerRepeated(
  { askedCents, approvedCents, isApproved, reason }: CardDecision,
  request: Pick<AuthorizationRequest, "amountCents">,
): Decision {
  if (askedCents !== request.amountCents) return refuse("thread_conflict");
  return isApproved ? buildDecision(null, { request, approvedCents }) : { approved: false, reason };
}

async function getPaymentByThread({ tx }: Work, { threadId }: AuthorizationRequest): Promise<CardPayment> {
  const payment = await findPaymentByThread(tx, threadId);
  if (!payment) throw new Error(`Thread ${threadId} has no payment`);
  return payment;
}

/** The recorded decision for the same first request again; a decline where card, amount or currency differ. */
export async function repeatDecision(
  work: Work,
  { cardId }: SpendingCard,
  request: AuthorizationRequest,
): Promise<Decision> {
  const payment = await getPaymentByThread(work, request);
  if (payment.status === "DECLINED") return { approved: false, reason: payment.declineReason ?? "declined" };
  if (payment.cardId !== cardId || payment.billingCurrency !== request.currency) return refuse("thread_conflict");
  const known = await findDecision(work.tx, payment, request.ordinal);
  return known ? answerRepeated(known, request) : refuse("thread_conflict");
}
