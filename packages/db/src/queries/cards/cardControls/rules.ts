/** The rules that stand for a cardholder's controls. */
import type { RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import { and, eq, inArray } from "drizzle-orm";
import type { Tx } from "../../../client.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { cardRules, cardRuleVersions } from "../../../schema/tables.ts";

export interface ControlRule {
  rule: typeof cardRules.$inferSelect;
  /** The version that decides; null while there is none. */
  active: { version: number; definition: RuleDefinition } | null;
}

/** The rules on one card that its user owns, with their row locks. The card's lock comes first. */
export async function lockControlRules(tx: Tx, userId: string, cardId: string): Promise<ControlRule[]> {
  const isControl = and(
    eq(cardRules.userId, userId),
    eq(cardRules.scope, "card"),
    eq(cardRules.subjectId, cardId),
    eq(cardRules.owner, "user"),
  );
  const rules = await tx.select().from(cardRules).where(isControl).orderBy(cardRules.id).for("no key update");
  // A statement behind the locks: it sees what their earlier holders committed.
  const versions = await tx
    .select()
    .from(cardRuleVersions)
    .where(
      and(
        inArray(
          cardRuleVersions.ruleId,
          rules.map(({ id }) => id),
        ),
        isOneOf(cardRuleVersions.state, ["ACTIVE"]),
      ),
    );
  const active = new Map(versions.map((version) => [version.ruleId, version]));
  return rules.map((rule) => ({ rule, active: active.get(rule.id) ?? null }));
}
