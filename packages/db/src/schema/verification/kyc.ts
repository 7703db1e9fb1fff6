/** Applications at the identity provider, and what its callbacks said. */
import { index, jsonb, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { counter, instant, provider } from "../columns.ts";
import { users } from "../users/users.ts";

export const kycApplications = pgTable(
  "kyc_applications",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    /** The provider's id of the applicant; another user's callback cannot carry it. */
    applicantId: text().notNull(),
    provider: provider(),
    /** Provider time in milliseconds of the newest callback applied; an older one changes nothing. */
    lastEventAtMs: counter().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [unique("kyc_applications_applicant_id").on(table.applicantId, table.provider)],
);

export const kycCallbacks = pgTable(
  "kyc_callbacks",
  {
    /** The provider's correlation id and the event type: the same callback twice is one. */
    id: text().notNull(),
    provider: provider(),
    userId: text()
      .notNull()
      .references(() => users.id),
    body: jsonb().notNull(),
    receivedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.provider] }),
    index("kyc_callbacks_user").on(table.userId, table.receivedAt),
  ],
);

/** When the identity provider is asked about a person again: a callback may be lost. */
export const kycChecks = pgTable(
  "kyc_checks",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    /** A worker that asks moves it ahead first, so that no second one asks meanwhile. */
    dueAt: instant().notNull(),
    /** When the provider last answered; null: never. */
    answeredAt: instant(),
  },
  (table) => [index("kyc_checks_due").on(table.dueAt)],
);
