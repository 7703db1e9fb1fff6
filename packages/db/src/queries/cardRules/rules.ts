/** Rules and their versions. */
import type { RuleState } from "@cardkeep/contract/cardRules";
import { and, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardRules, cardRuleStamps, cardRuleVersions } from "../../schema/tables.ts";

export type CardRule = typeof cardRules.$inferSelect;
export type CardRuleVersion = typeof cardRuleVersions.$inferSelect;

/** Takes the rule's row lock: its versions change one after the other. The lock comes after all others but the log's. */
export async function lockRule(tx: Tx, id: string): Promise<CardRule | null> {
  const [row] = await tx.select().from(cardRules).where(eq(cardRules.id, id)).for("no key update");
  return row ?? null;
}

export async function findVersion(on: Executor, ruleId: string, version: number): Promise<CardRuleVersion | null> {
  const [row] = await on
    .select()
    .from(cardRuleVersions)
    .where(and(eq(cardRuleVersions.ruleId, ruleId), eq(cardRuleVersions.version, version)))
    .limit(1);
  return row ?? null;
}

export async function insertRule(tx: Tx, row: CardRule): Promise<void> {
  await tx.insert(cardRules).values(row);
}

export async function insertVersion(tx: Tx, row: CardRuleVersion): Promise<void> {
  await tx.insert(cardRuleVersions).values(row);
}

/** The number of a rule's newest version; 0 without any. */
export async function findNewestVersion(tx: Tx, ruleId: string): Promise<number> {
  const [row] = await tx
    .select({ newest: sql<number>`coalesce(max(${cardRuleVersions.version}), 0)` })
    .from(cardRuleVersions)
    .where(eq(cardRuleVersions.ruleId, ruleId));
  return row?.newest ?? 0;
}

/** Sets a version's state. The version that was in ACTIVE or SHADOW leaves it for INACTIVE first. */
export async function setVersionState(
  tx: Tx,
  { ruleId, version, state, at }: { ruleId: string; version: number; state: RuleState; at: Date },
): Promise<void> {
  const ofRule = eq(cardRuleVersions.ruleId, ruleId);
  if (state !== "INACTIVE") {
    await tx
      .update(cardRuleVersions)
      .set({ state: "INACTIVE", stateAt: at })
      .where(and(ofRule, eq(cardRuleVersions.state, state)));
  }
  await tx
    .update(cardRuleVersions)
    .set({ state, stateAt: at })
    .where(and(ofRule, eq(cardRuleVersions.version, version)));
}

/** The name of the stamp of rules that concern many users. */
export const sharedStamp = "shared";

/** Raises a stamp, so that decisions read the rules again. Changes of the same rules wait for each other here. */
export async function raiseStamp(tx: Tx, name: string): Promise<void> {
  await tx
    .insert(cardRuleStamps)
    .values({ name, stamp: 1n })
    .onConflictDoUpdate({ target: cardRuleStamps.name, set: { stamp: sql`${cardRuleStamps.stamp} + 1` } });
}
