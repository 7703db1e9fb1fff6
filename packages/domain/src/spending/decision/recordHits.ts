import { type CardRuleHit, insertHits } from "@cardkeep/db/queries/cards/cardRules/hits";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { atLeastZero } from "../../core/money.ts";
import type { Verdict } from "./verdict.ts";

/** Records the hits of a decision about a payment. */
export async function recordHits(
  { tx, now: createdAt }: Pick<Work, "tx" | "now">,
  { hits, askedCents }: Verdict,
  { id: paymentId, userId, billingCurrency: currency }: Pick<CardPayment, "id" | "userId" | "billingCurrency">,
): Promise<void> {
  if (hits.length === 0) return;
  const amountCents = atLeastZero(askedCents);
  const rows = hits.map(({ ruleId, version, state, reason }): CardRuleHit => {
    return { id: generateId(), ruleId, version, state, reason, paymentId, userId, amountCents, currency, createdAt };
  });
  await insertHits(tx, rows);
}
