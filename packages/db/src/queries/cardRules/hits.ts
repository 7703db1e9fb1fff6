/** Versions of rules that declined a use of a card or, in SHADOW, would have. */
import type { Tx } from "../../client.ts";
import { cardRuleHits } from "../../schema/tables.ts";

export type CardRuleHit = typeof cardRuleHits.$inferSelect;

export async function insertHits(tx: Tx, rows: readonly CardRuleHit[]): Promise<void> {
  await tx.insert(cardRuleHits).values([...rows]);
}
