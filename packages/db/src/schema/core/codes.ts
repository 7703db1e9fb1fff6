/** Codes that prove access to a mail address or a phone number, and the nonces of sign-in messages. */
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../columns.ts";

export const nonces = pgTable("nonces", { value: text().primaryKey(), expiresAt: instant().notNull() }, (table) => [
  index("nonces_expiry").on(table.expiresAt),
]);

/** What a code is for: a mail address at sign-up, or a user's phone number. */
export type CodePurpose = "email" | "phone";

export const codes = pgTable(
  "codes",
  {
    id: text().primaryKey(),
    purpose: text().$type<CodePurpose>().notNull(),
    /** A lower-case mail address, or a user. Only the newest code of a subject that was not withdrawn counts. */
    subject: text().notNull(),
    /** Where it was sent. */
    receiver: text().notNull(),
    codeHash: text().notNull(),
    /** Below 0: withdrawn, since it was not sent. Then an earlier one counts. */
    triesLeft: integer().notNull(),
    expiresAt: instant().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("codes_subject").on(table.purpose, table.subject, table.createdAt),
    index("codes_receiver").on(table.purpose, table.receiver, table.createdAt),
    index("codes_age").on(table.createdAt),
  ],
);
