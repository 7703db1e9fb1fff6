import { check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { cents, instant, isOneOf, issuer } from "../columns.ts";

/**
 * Why a thread cannot be booked.
 *
 * - currency: not the account's. - card: another one than the thread was decided on. - archived: its payment's row is. - type:
 *   the issuer names a type that is not known. - sign: a sign contradicts its type, more is taken back than there was, or the
 *   amount or kind of what is booked has changed, or it is missing. - duplicate: a second capture of one amount and reference. - credit: more comes back to the person than the settings allow. - unreadable: the issuer's answer
 *   cannot be read, or it has none about a payment that we approved.
 */
export const unmatchedReasons = [
  "currency",
  "card",
  "archived",
  "type",
  "sign",
  "duplicate",
  "credit",
  "unreadable",
] as const;

export type UnmatchedReason = (typeof unmatchedReasons)[number];

/** Reasons that operators may set aside. */
export const acceptableReasons: readonly UnmatchedReason[] = ["duplicate", "credit"];

/** Threads that the issuer keeps and that cannot be booked; an operator settles them with the issuer. */
export const unmatchedThreads = pgTable(
  "unmatched_threads",
  {
    threadId: text().notNull(),
    issuer: issuer(),
    reason: text().$type<UnmatchedReason>().notNull(),
    /** ISO 4217. */
    currency: text().notNull(),
    /** What the thread comes to in the currency's minor units: captures less refunds; below zero for a refund alone. */
    amountMinor: cents().notNull(),
    seenAt: instant().notNull(),
    /** When operators decided that it is booked, as long as it comes to this amount. */
    acceptedAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.threadId, table.issuer] }),
    index("unmatched_threads_age").on(table.seenAt),
    index("unmatched_threads_reason").on(table.reason),
    check("unmatched_threads_reason", isOneOf(table.reason, unmatchedReasons)),
  ],
);
