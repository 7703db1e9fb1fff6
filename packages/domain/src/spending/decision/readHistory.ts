import type { Tx } from "@cardkeep/db/client";
import {
  findPaidMerchant,
  listPastIncrements,
  listPastPayments,
  lowestIdOf,
  type PastIncrement,
  type PastPayment,
  type PastQuery,
} from "@cardkeep/db/queries/cards/cardRules/pastPayments";
import type { CardUse, CompiledRule, UseFacts } from "../../core/cardRules/compileRule.ts";
import { type History, planHistory } from "../../core/cardRules/evaluateRules.ts";
import { listUseParts } from "../../core/cardRules/listUseParts.ts";

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
