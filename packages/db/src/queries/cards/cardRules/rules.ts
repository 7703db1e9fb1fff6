/** Rules and their versions. */
import type { RuleScope, RuleState } from "@cardkeep/contract/cards/cardRules";
import { and, asc, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { cardRules, cardRuleStamps, cardRuleVersions } from "../../../schema/tables.ts";

export type CardRule = typeof cardRules.$inferSelect;
export type CardRuleVersion = typeof cardRuleVersions.$inferSelect;

export async function findRule(on: Executor, id: string): Promise<CardRule | null> {
  const [row] = await on.select().from(cardRules).where(eq(cardRules.id, id)).limit(1);
  return row ?? null;
}

/** What rules are chosen by; null leaves a condition out. */
export interface RuleFilter {
  readonly scope: RuleScope | null;
  readonly subjectId: string | null;
  readonly ownerId: string | null;
  /** Id of the last rule of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

/** Rules, newest first, as their ids are. */
export async function listRules(
  on: Executor,
  { scope, subjectId, ownerId, after, limit }: RuleFilter,
): Promise<CardRule[]> {
  return on
    .select()
    .from(cardRules)
    .where(
      and(
        scope === null ? undefined : eq(cardRules.scope, scope),
        subjectId === null ? undefined : eq(cardRules.subjectId, subjectId),
        ownerId === null ? undefined : eq(cardRules.ownerId, ownerId),
        after === null ? undefined : lt(cardRules.id, after),
      ),
    )
    .orderBy(desc(cardRules.id))
    .limit(limit);
}

/** Versions of some rules, each rule's oldest first. */
export async function listVersions(on: Executor, ruleIds: readonly string[]): Promise<CardRuleVersion[]> {
  if (ruleIds.length === 0) return [];
  return on
    .select()
    .from(cardRuleVersions)
    .where(inArray(cardRuleVersions.ruleId, [...ruleIds]))
    .orderBy(asc(cardRuleVersions.ruleId), asc(cardRuleVersions.version));
}

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

/** Deletes a rule with its versions. */
export async function deleteRule(tx: Tx, id: string): Promise<void> {
  await tx.delete(cardRules).where(eq(cardRules.id, id));
}

/** Deletes versions of a rule that run no more, but for the newest ones. */
export async function deleteOldVersions(tx: Tx, { ruleId, below }: { ruleId: string; below: number }): Promise<void> {
  const { state, version } = cardRuleVersions;
  await tx
    .delete(cardRuleVersions)
    .where(and(eq(cardRuleVersions.ruleId, ruleId), eq(state, "INACTIVE"), lt(version, below)));
}

/**
 * How many rules an owner has about a subject, at most `max`. Commits that add one wait for each other here until their end.
 */
export async function countRulesOf(
  tx: Tx,
  { owner, ownerId, scope, subjectId }: Pick<CardRule, "owner" | "ownerId" | "scope" | "subjectId">,
  max: number,
): Promise<number> {
  const name = `cardkeep:rules:${owner}:${ownerId ?? ""}:${scope}:${subjectId ?? ""}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const rows = await tx
    .select({ id: cardRules.id })
    .from(cardRules)
    .where(
      and(
        eq(cardRules.owner, owner),
        eq(cardRules.scope, scope),
        ownerId === null ? isNull(cardRules.ownerId) : eq(cardRules.ownerId, ownerId),
        subjectId === null ? isNull(cardRules.subjectId) : eq(cardRules.subjectId, subjectId),
      ),
    )
    .limit(max);
  return rows.length;
}

/** The name of the stamp of a rule: that of the programme, of its partner, or of its user. */
export const stampOf = ({ userId, subjectId }: Pick<CardRule, "userId" | "subjectId">): string =>
  userId ?? (subjectId === null ? "programme" : `partner:${subjectId}`);

/** Raises a stamp, so that decisions read the rules again. Changes of the same rules wait for each other here. */
export async function raiseStamp(tx: Tx, name: string): Promise<void> {
  await tx
    .insert(cardRuleStamps)
    .values({ name, stamp: 1n })
    .onConflictDoUpdate({ target: cardRuleStamps.name, set: { stamp: sql`${cardRuleStamps.stamp} + 1` } });
}
