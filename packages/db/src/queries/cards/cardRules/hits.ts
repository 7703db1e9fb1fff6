/** Versions of rules that declined a use of a card or, in SHADOW, would have. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { inParts } from "../../../many.ts";
import { cardRuleHits } from "../../../schema/tables.ts";

export type CardRuleHit = typeof cardRuleHits.$inferSelect;

export async function insertHits(tx: Tx, rows: readonly CardRuleHit[]): Promise<void> {
  for (const part of inParts(rows)) await tx.insert(cardRuleHits).values(part);
}

/** Hits of a rule, newest first, as their ids are; `after` is the last one of the page before. */
export async function listHits(
  on: Executor,
  { ruleId, after, limit }: { ruleId: string; after: string | null; limit: number },
): Promise<CardRuleHit[]> {
  const { id } = cardRuleHits;
  return on
    .select()
    .from(cardRuleHits)
    .where(and(eq(cardRuleHits.ruleId, ruleId), after === null ? undefined : lt(id, after)))
    .orderBy(desc(id))
    .limit(limit);
}

/** Hits of a payment, in the order in which the rules declined. */
export async function listPaymentHits(on: Executor, paymentId: string): Promise<CardRuleHit[]> {
  return on.select().from(cardRuleHits).where(eq(cardRuleHits.paymentId, paymentId)).orderBy(cardRuleHits.id);
}

/** Counting ends here: an overview needs no exact number of more. */
const hitsCountedMax = 5_000;

/** How often each of a rule's versions declined or would have; at most `hitsCountedMax` of each. */
export async function countHits(
  on: Executor,
  ruleId: string,
  versions: readonly number[],
): Promise<{ version: number; active: number; shadow: number }[]> {
  return Promise.all(
    versions.map(async (version) => {
      const [row] = await on.execute<{ active: number; shadow: number }>(sql`
        select count(*) filter (where state = 'ACTIVE')::int as active,
          count(*) filter (where state = 'SHADOW')::int as shadow
        from (select state from card_rule_hits where rule_id = ${ruleId} and version = ${version}
          limit ${hitsCountedMax}) as counted`);
      return { version, active: row?.active ?? 0, shadow: row?.shadow ?? 0 };
    }),
  );
}
