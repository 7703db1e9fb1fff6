/** What the simulated partners remember, in a schema of its own. */
import { index, jsonb, pgSchema, text } from "drizzle-orm/pg-core";
import { counter, instant } from "./columns.ts";

export const sandbox = pgSchema("sandbox");

/** Mails and text messages that were sent. */
export const messages = sandbox.table(
  "messages",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    channel: text().$type<"mail" | "phone">().notNull(),
    to: text().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    code: text(),
    sentAt: instant().notNull(),
  },
  (table) => [index("messages_to").on(table.channel, table.to)],
);

/** Applicants as the identity provider knows them. */
export const kycApplicants = sandbox.table("kyc_applicants", {
  id: text().primaryKey(),
  externalUserId: text().notNull().unique(),
  reviewStatus: text().notNull(),
  reviewResult: jsonb(),
  info: jsonb().notNull(),
  createdAt: instant().notNull(),
});
