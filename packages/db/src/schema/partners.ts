/** Partners and the domains their apps sign in from. */
import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

export const partners = pgTable("partners", {
  id: text().primaryKey(),
  name: text().notNull(),
  webhookUrl: text(),
  status: text().$type<"ACTIVE" | "DISABLED">().notNull(),
  createdAt: instant().notNull(),
});

export const partnerDomains = pgTable(
  "partner_domains",
  {
    /** Lower-case `host` or `host:port`, as it stands in a sign-in message. */
    domain: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
  },
  (table) => [index("partner_domains_partner").on(table.partnerId)],
);
