/**
 * Reconciliations: everything that chain and partners know is compared with the rows, at once.
 *
 * - discrepancy: what chain or partner knew and no row did, and what was done about it.
 */
import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { counter, instant, isOneOf, requestId } from "../columns.ts";

/** Why one began. First: the database was new. Restored: the database went back, or is a copy. */
export const reconciliationReasons = ["first", "restored", "daily", "operator"] as const;
export type ReconciliationReason = (typeof reconciliationReasons)[number];

export const reconciliations = pgTable(
  "reconciliations",
  {
    id: text().primaryKey(),
    /** Order in which they began. */
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    reason: text().$type<ReconciliationReason>().notNull(),
    /** What showed that the database went back. */
    evidence: text(),
    /** Cluster, timeline and database: all that a restore or a failover changes. */
    databaseIdentity: text().notNull(),
    /** The first block whose entries may have lost their rows. */
    fromBlock: counter(),
    /** Steps that have succeeded. */
    steps: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The last user of the page of e-money orders that was compared last. */
    ordersAfter: text(),
    requestId: requestId(),
    startedAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    index("reconciliations_newest").on(table.sequence),
    index("reconciliations_open")
      .on(table.id)
      .where(sql`${table.endedAt} is null`),
    check("reconciliations_reason", isOneOf(table.reason, reconciliationReasons)),
  ],
);

export const discrepancyKinds = [
  "entry",
  "transfer",
  "thread",
  "card",
  "order",
  "verdict",
  "profile",
  "safe",
  "nonce",
] as const;
export type DiscrepancyKind = (typeof discrepancyKinds)[number];

export const discrepancies = pgTable(
  "discrepancies",
  {
    /** Kind and name: the same discrepancy is found once. */
    id: text().primaryKey(),
    kind: text().$type<DiscrepancyKind>().notNull(),
    /** What chain or partner knows, in words for operators. */
    text: text().notNull(),
    /** What was done; null while it is open. */
    action: text(),
    /** The row that replaced it. */
    subjectId: text(),
    /** What a later request needs to restore it. Of transfers: their hashes, by place. */
    details: jsonb().$type<Record<string, string>>(),
    foundAt: instant().notNull(),
    resolvedAt: instant(),
  },
  (table) => [
    index("discrepancies_found").on(table.foundAt),
    index("discrepancies_subject").on(table.subjectId),
    index("discrepancies_open")
      .on(table.kind)
      .where(sql`${table.resolvedAt} is null`),
    check("discrepancies_kind", isOneOf(table.kind, discrepancyKinds)),
    check("discrepancies_resolved", sql`(${table.action} is null) = (${table.resolvedAt} is null)`),
  ],
);
