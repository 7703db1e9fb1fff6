/**
 * Card rules: when a use of a card is declined.
 *
 * - rule: whose uses it decides about, and who owns it. - version: a definition with its state. - stamp: a counter that each
 *   change of rules raises, so that decisions see that what they keep of rules is old. - hit: a version that declined a use
 *   or, in SHADOW, would have.
 */
import {
  type RuleDefinition,
  type RuleOwner,
  ruleOwners,
  type RuleScope,
  ruleScopes,
  type RuleState,
  ruleStates,
} from "@cardkeep/contract/cards/cardRules";
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { cents, counter, instant, isOneOf, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

/** Scopes whose rules concern many users; processes keep them in memory. */
export const sharedScopes: readonly RuleScope[] = ["programme", "partner"];

export const cardRules = pgTable(
  "card_rules",
  {
    id: text().primaryKey(),
    scope: text().$type<RuleScope>().notNull(),
    /** The partner, user or card; null for the programme. */
    subjectId: text(),
    /** Of a rule about a user or a card: the user. */
    userId: text().references(() => users.id),
    owner: text().$type<RuleOwner>().notNull(),
    /** The partner or user; null for the operator. */
    ownerId: text(),
    name: text().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
  },
  (table) => [
    // Each decision reads the rules of its user and card.
    index("card_rules_user")
      .on(table.userId)
      .where(sql`${table.userId} is not null`),
    // A process reads the shared rules again after a change, among as many rules as users made.
    index("card_rules_shared").on(table.id).where(isOneOf(table.scope, sharedScopes)),
    // Operators list the rules of a scope, or about a user or card, newest first.
    index("card_rules_scope").on(table.scope, table.id),
    index("card_rules_subject")
      .on(table.subjectId, table.id)
      .where(sql`${table.subjectId} is not null`),
    // A partner lists its own rules, newest first.
    index("card_rules_owner")
      .on(table.ownerId, table.id)
      .where(sql`${table.ownerId} is not null`),
    check("card_rules_scope", isOneOf(table.scope, ruleScopes)),
    check("card_rules_owner_kind", isOneOf(table.owner, ruleOwners)),
    check(
      "card_rules_subject",
      sql`(${table.scope} = 'programme') = (${table.subjectId} is null) and (${table.scope} in ('user', 'card')) = (${table.userId} is not null)`,
    ),
    check("card_rules_owner_id", sql`(${table.owner} = 'operator') = (${table.ownerId} is null)`),
  ],
);

export const cardRuleVersions = pgTable(
  "card_rule_versions",
  {
    ruleId: text()
      .notNull()
      .references(() => cardRules.id, { onDelete: "cascade" }),
    /** 1, 2, 3 and so on. */
    version: integer().notNull(),
    state: text().$type<RuleState>().notNull(),
    definition: jsonb().$type<RuleDefinition>().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    /** When `state` changed last. */
    stateAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ruleId, table.version] }),
    // At most one version decides, and at most one runs beside it.
    uniqueIndex("card_rule_versions_active")
      .on(table.ruleId)
      .where(sql`${table.state} = 'ACTIVE'`),
    uniqueIndex("card_rule_versions_shadow")
      .on(table.ruleId)
      .where(sql`${table.state} = 'SHADOW'`),
    check("card_rule_versions_state", isOneOf(table.state, ruleStates)),
    check("card_rule_versions_version", sql`${table.version} >= 1`),
  ],
);

export const cardRuleStamps = pgTable("card_rule_stamps", {
  /** `shared` for the rules of programme and partners, otherwise the user whose rules changed. */
  name: text().primaryKey(),
  stamp: counter().notNull(),
});

export const cardRuleHits = pgTable(
  "card_rule_hits",
  {
    id: text().primaryKey(),
    ruleId: text().notNull(),
    version: integer().notNull(),
    /** The version's state at the decision: `ACTIVE` declined, `SHADOW` would have. */
    state: text().$type<Exclude<RuleState, "INACTIVE">>().notNull(),
    /** Code of the decline. */
    reason: text().notNull(),
    paymentId: text().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id),
    amountCents: cents().notNull(),
    currency: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    // A rule's page lists its hits, newest first, as ids are, and counts those of its versions.
    index("card_rule_hits_rule").on(table.ruleId, table.id),
    index("card_rule_hits_version").on(table.ruleId, table.version),
    // A payment's page names the rules that declined it.
    index("card_rule_hits_payment").on(table.paymentId),
    // Copies of a person's data read a user's hits.
    index("card_rule_hits_user").on(table.userId),
    // Old hits are deleted by their age.
    index("card_rule_hits_age").on(table.createdAt),
    check("card_rule_hits_state", isOneOf(table.state, ["ACTIVE", "SHADOW"])),
  ],
);
