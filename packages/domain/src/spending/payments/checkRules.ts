/**
 * The rules of a decision: first what needs no other payment, then, behind the locks, what does.
 *
 * A change of rules that commits while a decision runs makes it begin again, so rules are as new as the card's other facts.
 */
import { declineReasons } from "@cardkeep/contract/spending/declineReasons";
import type { Tx } from "@cardkeep/db/client";
import { type CardRuleHit, insertHits } from "@cardkeep/db/queries/cards/cardRules/hits";
import {
  findPaidMerchant,
  listPastIncrements,
  listPastPayments,
  lowestIdOf,
  type PastIncrement,
  type PastPayment,
  type PastQuery,
} from "@cardkeep/db/queries/cards/cardRules/pastPayments";
import { listDecisions } from "@cardkeep/db/queries/spending/decisions";
import type { SpendingFacts } from "@cardkeep/db/queries/spending/facts";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import type { Services } from "../../core/services.ts";
import type { Decline } from "./checkCard.ts";
import { type CardUse, type CompiledRule, compileRule, type UseFacts } from "../../core/cardRules/compileRule.ts";
import {
  evaluateRules,
  findDeclineReason,
  type History,
  matchRules,
  planHistory,
  type RuleHit,
} from "../../core/cardRules/evaluateRules.ts";
import { orderRules } from "../../core/cardRules/orderRules.ts";
import { listUseParts } from "../../core/cardRules/listUseParts.ts";

/** The rules that a decision runs were changed since it read them. */
export class RulesChanged extends Error {
  constructor() {
    super("The rules of a card changed during a decision");
  }
}

/** Whether the rules are the same that facts of the card had. */
export const hasSameRules = (one: SpendingCard, other: SpendingCard): boolean =>
  one.sharedRuleStamp === other.sharedRuleStamp && one.ownRuleStamp === other.ownRuleStamp;

/** All rules about a card, in their order. Reads nothing but shared rules that changed since this process read them. */
export async function listRulesOf(
  { sharedRules }: Pick<Services, "sharedRules">,
  { card, partnerId, ownRules }: Pick<SpendingFacts, "card" | "partnerId" | "ownRules">,
): Promise<readonly CompiledRule[]> {
  const shared = await sharedRules.list(card.sharedRuleStamp, partnerId);
  return ownRules.length === 0 ? shared : [...shared, ...orderRules(ownRules.map(compileRule))];
}

type Used = Pick<AuthorizationRequest, "amountCents" | "merchant" | "merchantCurrency" | "channel">;

/** What rules see of a request; `amountCents` is the whole amount of the payment with it. */
export const buildUseFacts = (
  { amountCents, merchant, merchantCurrency, channel }: Used,
  cardId: string,
): UseFacts => ({
  cardId,
  amountCents,
  mcc: merchant.mcc,
  country: merchant.country,
  channel,
  currency: merchantCurrency,
  merchantNetworkId: merchant.networkId,
  merchantName: merchant.name,
});

/** The decline of the first rule that declines; null where none does. */
export function findDecline(hits: readonly RuleHit[]): Decline | null {
  const reason = findDeclineReason(hits);
  return reason && { reason, result: declineReasons[reason].result };
}

/** Whether rules count payments of all of a user's cards, so that its other decisions have to wait. */
export const countsByUser = (rules: readonly CompiledRule[]): boolean =>
  rules.some(({ windows }) => windows.some(({ per }) => per === "user"));

/**
 * The earlier payments that pending rules need, without the payment `exceptId`. Its statements see what the locks' earlier
 * holders committed, so they come behind the locks.
 */
export async function readHistory(
  { tx, now }: { tx: Tx; now: Date },
  pending: readonly CompiledRule[],
  { use, userId, exceptId }: { use: UseFacts; userId: string; exceptId: string | null },
): Promise<History> {
  const plan = planHistory(pending, now.getTime());
  const { cardId, merchantNetworkId: networkId, merchantName: name } = use;
  // One connection runs them in this order, in one write.
  const [past, paidMerchant] = await Promise.all([
    plan === null || plan.since === null
      ? []
      : listPast(tx, { userId, cardId: plan.ofUser ? null : cardId, exceptId }, now.getTime(), plan.since),
    plan?.merchant ? findPaidMerchant(tx, { userId, cardId, exceptId, merchant: { networkId, name } }) : nothingPaid,
  ]);
  return { payments: past, paidMerchant };
}

/** The payments since an instant, and older ones that were raised since. */
async function listPast(
  tx: Tx,
  whose: Pick<PastQuery, "userId" | "cardId" | "exceptId">,
  nowMs: number,
  sinceMs: number,
): Promise<CardUse[]> {
  const since = Number.isFinite(sinceMs) ? new Date(sinceMs) : null;
  const span = { spanMs: nowMs - sinceMs, wallMs: Date.now() };
  const [payments, increments] = await Promise.all([
    listPastPayments(tx, { ...whose, since, lowestId: lowestIdOf(span.spanMs, span.wallMs) }),
    listPastIncrements(tx, { ...whose, since }, span),
  ]);
  const all = new Map([...increments.map(({ payment }) => payment), ...payments].map((each) => [each.id, each]));
  return [...all.values()].map((payment) => buildPastUse(payment, increments));
}

function buildPastUse(
  { id, createdAt, authorizedCents, spentCents, ...facts }: PastPayment,
  increments: readonly PastIncrement[],
): CardUse {
  const ofPayment = increments
    .filter(({ payment }) => payment.id === id)
    .map((raise) => ({ at: raise.createdAt.getTime(), amountCents: raise.approvedCents }));
  const parts = listUseParts({ authorizedCents, spentCents }, ofPayment);
  return { ...facts, at: createdAt.getTime(), amountCents: spentCents, parts };
}

const nothingPaid = { card: false, user: false };

/**
 * The hits of an increment behind the locks: rules see its payment with the grown amount, as one payment. A sum counts each
 * part of it at the instant of its own decision.
 *
 * @param rules all rules about the card
 */
export async function listGrowthHits(
  work: Work,
  rules: readonly CompiledRule[],
  request: AuthorizationRequest,
  payment: CardPayment,
): Promise<RuleHit[]> {
  const { id: exceptId, userId, cardId, authorizedCents, reversedCents, capturedCents, createdAt } = payment;
  const heldCents = authorizedCents - reversedCents;
  const standingCents = heldCents > capturedCents ? heldCents : capturedCents;
  const use = buildUseFacts({ ...request, amountCents: standingCents + request.amountCents }, cardId);
  const { hits, pending } = matchRules(rules, use);
  const [history, decisions] = await Promise.all([
    readHistory(work, pending, { use, userId, exceptId }),
    listDecisions(work.tx, payment),
  ]);
  const increments = decisions
    .filter(({ ordinal, isApproved }) => ordinal > 0 && isApproved)
    .map((decision) => ({ at: decision.createdAt.getTime(), amountCents: decision.approvedCents }));
  const raised = listUseParts({ authorizedCents, spentCents: standingCents }, increments);
  const raisedCents = raised.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const parts = [{ at: createdAt.getTime(), amountCents: standingCents - raisedCents }, ...raised];
  return [...hits, ...evaluateRules(pending, { ...use, at: work.now.getTime(), parts }, history)];
}

/** Records the hits of a decision about a payment. */
export async function recordHits(
  { tx, now: createdAt }: Work,
  hits: readonly RuleHit[],
  { id: paymentId, userId, billingCurrency: currency }: Pick<CardPayment, "id" | "userId" | "billingCurrency">,
  amountCents: bigint,
): Promise<void> {
  if (hits.length === 0) return;
  const rows = hits.map(({ ruleId, version, state, reason }): CardRuleHit => {
    return { id: generateId(), ruleId, version, state, reason, paymentId, userId, amountCents, currency, createdAt };
  });
  await insertHits(tx, rows);
}
