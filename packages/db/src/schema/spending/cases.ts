import {
  cardCaseKindNames,
  cardCaseStatuses,
  type CardCaseKind,
  type CardCaseStatus,
} from "@cardkeep/contract/spending/cardCases";
import { sql } from "drizzle-orm";
import { check, index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { cents, instant, isOneOf, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

/** What money needs an operator to settle by hand, once for each kind and subject. */
export const cardCases = pgTable(
  "card_cases",
  {
    id: text().primaryKey(),
    kind: text().$type<CardCaseKind>().notNull(),
    /** Id of the dispute, or else of the payment, or the issuer's of a thread that is not booked, of the card order, of the IBAN order, of the mint, or of the user. */
    subjectId: text().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id),
    paymentId: text(),
    disputeId: text(),
    threadId: text(),
    orderId: text(),
    ibanOrderId: text(),
    /** Transaction of a mint, and its place among the logs of the receipt. */
    mintId: text(),
    /** In the currency's minor units. */
    amountCents: cents().notNull(),
    /** ISO 4217. */
    currency: text().notNull(),
    status: text().$type<CardCaseStatus>().notNull(),
    /** What happened, as a sentence for the operator; no personal data. */
    note: text().notNull(),
    /** What the person said, in the person's words; gone when the person is erased. */
    words: text(),
    /** The last instant to settle it, where a law or a network sets one. */
    dueAt: instant(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    /** When it was closed last: a case that is open again keeps who closed it, and why. */
    closedAt: instant(),
    /** Name of the operator. */
    closedBy: text(),
    closeReason: text(),
  },
  (table) => [
    unique("card_cases_subject").on(table.kind, table.subjectId),
    index("card_cases_user").on(table.userId, table.id),
    index("card_cases_payment").on(table.paymentId),
    index("card_cases_open")
      .on(table.createdAt)
      .where(sql`${table.status} = 'OPEN'`),
    check("card_cases_kind", isOneOf(table.kind, cardCaseKindNames)),
    check("card_cases_status", isOneOf(table.status, cardCaseStatuses)),
    check(
      "card_cases_about",
      sql`${table.subjectId} is not distinct from coalesce(${table.disputeId}, ${table.paymentId}, ${table.threadId}, ${table.orderId}, ${table.ibanOrderId}, ${table.mintId}, ${table.userId})`,
    ),
    check("card_cases_amount", sql`${table.amountCents} >= 0`),
    check(
      "card_cases_closed",
      sql`num_nulls(${table.closedAt}, ${table.closedBy}, ${table.closeReason}) in (0, case when ${table.status} = 'CLOSED' then 0 else 3 end)`,
    ),
  ],
);
