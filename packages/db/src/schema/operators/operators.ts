/**
 * What operators did.
 *
 * - action: one change by an operator, recorded in the commit of that change.
 * - chain: each action holds the hash of the one before it.
 */
import { listStates } from "@cardkeep/contract/core/machine";
import { approvalMachine, type ApprovalStatus } from "@cardkeep/contract/operators/approvals";
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { counter, instant, isOneOf, requestId } from "../columns.ts";

/** Kinds of things that operators change. */
export const subjectKinds = [
  "user",
  "card",
  "payment",
  "case",
  "order",
  "partner",
  "delivery",
  "delay",
  "relayer",
  "job",
  "coupon",
  "questions",
  "terms",
  "reconciliation",
  "discrepancy",
  "key",
  "database",
  "approval",
  "session",
  "list",
  "stop",
  "rule",
  "rates",
  "close",
  "treasury",
] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** How an operator came in. `api` is a program; `sandbox` exists outside production alone; `worker` is the service itself. */
export const operatorWays = ["cli", "page", "api", "sandbox", "worker"] as const;
export type OperatorWay = (typeof operatorWays)[number];

/**
 * What shows who an operator is: a person's sign-in, the shared key, the machine's user or a program's credentials, nothing but the
 * sandbox, or the service.
 */
export const operatorProofs = ["oidc", "key", "machine", "sandbox", "service"] as const;
export type OperatorProof = (typeof operatorProofs)[number];

/**
 * Ids, statuses, amounts and settings of a subject. Names, mail addresses and secrets never: rows of this log are not
 * erased. Numbers are integers.
 */
export type ActionFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** The action log: triggers refuse every change of a row, and `hash` covers all other columns. */
export const operatorActions = pgTable(
  "operator_actions",
  {
    /** Leads to its month. The chain's one newest row makes the sequence unique over all months. */
    id: text().notNull(),
    /** 1 for the first action, without gaps. */
    sequence: counter().notNull(),
    at: instant().notNull(),
    /** Issuer and subject of a person, `machine:<host>/<user>`, `key` or `sandbox`. */
    operatorId: text().notNull(),
    operatorName: text().notNull(),
    via: text().$type<OperatorWay>().notNull(),
    proof: text().$type<OperatorProof>().notNull(),
    verb: text().notNull(),
    subjectKind: text().$type<SubjectKind>().notNull(),
    subjectId: text().notNull(),
    before: jsonb().$type<ActionFacts>(),
    after: jsonb().$type<ActionFacts>(),
    reason: text(),
    requestId: requestId(),
    /** The approved request, and the second person, where the action needed one. */
    approvalId: text(),
    approverId: text(),
    approverName: text(),
    /** The hash of the action before; 64 zeros for the first. */
    previousHash: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sequence, table.id] }),
    index("operator_actions_operator").on(table.operatorId, table.sequence),
    index("operator_actions_operator_verb").on(table.operatorId, table.verb, table.sequence),
    index("operator_actions_verb").on(table.verb, table.sequence),
    index("operator_actions_subject").on(table.subjectId, table.sequence),
    // A user's history is in the order of time.
    index("operator_actions_history").on(table.subjectKind, table.subjectId, table.at),
    index("operator_actions_request").on(table.requestId),
    check("operator_actions_via", isOneOf(table.via, operatorWays)),
    check("operator_actions_proof", isOneOf(table.proof, operatorProofs)),
    check(
      "operator_actions_approver",
      sql`(${table.approvalId} is null) = (${table.approverId} is null) and (${table.approverId} is null) = (${table.approverName} is null)`,
    ),
  ],
);

/** A verb that one operator asked for and another one decides on. A trigger lets nothing but the decision change. */
export const operatorApprovals = pgTable(
  "operator_approvals",
  {
    id: text().primaryKey(),
    verb: text().notNull(),
    /** What the verb is run with: ids and amounts, and no personal data. */
    input: jsonb().$type<ActionFacts>().notNull(),
    subjectKind: text().$type<SubjectKind>().notNull(),
    subjectId: text().notNull(),
    status: text().$type<ApprovalStatus>().notNull(),
    askedById: text().notNull(),
    askedByName: text().notNull(),
    askedVia: text().$type<OperatorWay>().notNull(),
    askedProof: text().$type<OperatorProof>().notNull(),
    askedRoles: text().array().notNull(),
    reason: text(),
    requestId: requestId(),
    askedAt: instant().notNull(),
    expiresAt: instant().notNull(),
    decidedById: text(),
    decidedByName: text(),
    decidedAt: instant(),
  },
  (table) => [
    index("operator_approvals_newest").on(table.askedAt, table.id),
    index("operator_approvals_status").on(table.status, table.askedAt, table.id),
    // By a digest: an input may be longer than what an index takes. No index takes `convert_to`, so the text is cast to its bytes.
    uniqueIndex("operator_approvals_same")
      .on(table.verb, sql`sha256(replace(${table.input}::text, '\\', '\\\\')::bytea)`)
      .where(sql`${table.status} = 'WAITING'`),
    check("operator_approvals_status", isOneOf(table.status, listStates(approvalMachine))),
    check("operator_approvals_decided", sql`(${table.status} = 'WAITING') = (${table.decidedAt} is null)`),
    check(
      "operator_approvals_two",
      sql`${table.status} <> 'APPROVED' or coalesce(${table.decidedById} <> ${table.askedById}, false)`,
    ),
  ],
);

/** One row: the newest action. Its lock serialises the writers of the log. A trigger lets it advance by one action at a time. */
export const operatorChain = pgTable("operator_chain", {
  id: integer().primaryKey(),
  sequence: counter().notNull(),
  hash: text().notNull(),
});

/** What operators are alerted to, while it lasts: each is reported once, and again only after it was gone. */
export const operatorAlerts = pgTable(
  "operator_alerts",
  {
    /** Names the fault: a check of doctor, a case, a discrepancy, a debt. */
    key: text().primaryKey(),
    /** What an operator reads; no personal data. */
    text: text().notNull(),
    /** Path of the page that shows it. */
    path: text().notNull(),
    foundAt: instant().notNull(),
    /** When the webhook took it, and when it was mailed; null before. */
    webhookAt: instant(),
    mailedAt: instant(),
  },
  (table) => [index("operator_alerts_age").on(table.foundAt)],
);
