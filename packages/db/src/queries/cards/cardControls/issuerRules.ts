/** The rules that decide about some cards, for the copy of their coarse part at the issuer. */
import type { RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import { endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { and, asc, eq, gt, inArray, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { isNoneOf, isOneOf } from "../../../schema/columns.ts";
import { sharedScopes } from "../../../schema/spending/cardRules.ts";
import { cardPayments, cardRules, cardRuleVersions, cards, users } from "../../../schema/tables.ts";
import type { Card } from "../cards.ts";

export interface RuleInForce {
  scope: typeof cardRules.$inferSelect.scope;
  subjectId: string | null;
  definition: RuleDefinition;
}

/** The versions that decide about these users and their cards: of the programme, of partners, and their own. */
export async function listRulesInForce(on: Executor, userIds: readonly string[]): Promise<RuleInForce[]> {
  return on
    .select({ scope: cardRules.scope, subjectId: cardRules.subjectId, definition: cardRuleVersions.definition })
    .from(cardRules)
    .innerJoin(cardRuleVersions, eq(cardRuleVersions.ruleId, cardRules.id))
    .where(
      and(
        isOneOf(cardRuleVersions.state, ["ACTIVE"]),
        or(isOneOf(cardRules.scope, sharedScopes), inArray(cardRules.userId, [...userIds])),
      ),
    )
    .orderBy(asc(cardRules.id));
}

/** The partner of each of these users; null without one. */
export async function listPartnersOf(
  on: Executor,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await on
    .select({ id: users.id, partnerId: users.partnerId })
    .from(users)
    .where(inArray(users.id, [...userIds]));
  return new Map(rows.map(({ id, partnerId }) => [id, partnerId]));
}

/**
 * How many payments of a card ended with a capture. An open one does not count: the issuer would decline its increments. The
 * service's own decision counts it.
 */
export async function countPaidPayments(on: Executor, { userId, id }: Pick<Card, "id" | "userId">): Promise<number> {
  const { status, capturedCents, cardId } = cardPayments;
  const isPaid = and(eq(status, "CLEARED"), gt(capturedCents, 0n));
  const [row] = await on
    .select({ paid: sql<number>`count(*)::int` })
    .from(cardPayments)
    .where(and(eq(cardPayments.userId, userId), eq(cardId, id), isPaid));
  return row?.paid ?? 0;
}

const isLive = isNoneOf(cards.statusCode, endedCardStatuses);

/** Whose cards: a user's, those of a partner's users, or with neither everybody's. */
export interface CardsOf {
  userId?: string;
  partnerId?: string;
}

/** Cards that have not ended, in the order of their ids after one, with their row locks. */
export async function lockCardsAfter(
  tx: Tx,
  { of: { userId, partnerId }, after, limit }: { of: CardsOf; after: string; limit: number },
): Promise<Card[]> {
  const ofPartner = sql`exists (select from ${users} where ${users.id} = ${cards.userId} and ${users.partnerId} = ${partnerId})`;
  return tx
    .select()
    .from(cards)
    .where(
      and(
        gt(cards.id, after),
        isLive,
        userId === undefined ? undefined : eq(cards.userId, userId),
        partnerId === undefined ? undefined : ofPartner,
      ),
    )
    .orderBy(asc(cards.id))
    .limit(limit)
    .for("no key update");
}
