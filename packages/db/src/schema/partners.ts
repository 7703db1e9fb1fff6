/** Partners themselves; users refer to them, and what they are told refers to users. */
import { sql } from "drizzle-orm";
import { check, pgTable, text } from "drizzle-orm/pg-core";
import { counter, instant, isOneOf } from "./columns.ts";

export const partners = pgTable(
  "partners",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** A mail address at the partner, told when its endpoint is disabled. */
    contact: text(),
    webhookUrl: text(),
    /** Thin deliveries name the user and nothing else; the rest is pulled. */
    payload: text().$type<"full" | "thin">().notNull(),
    webhookStatus: text().$type<"ACTIVE" | "DISABLED">().notNull().default("ACTIVE"),
    /** Why it is disabled. */
    webhookReason: text(),
    /** Since when every attempt failed; null while any succeeds. */
    failingSince: instant(),
    /** Until when the endpoint is left alone. */
    pausedUntil: instant(),
    /** Of the newest event in its feed. */
    lastPosition: counter()
      .notNull()
      .default(sql`0`),
    status: text().$type<"ACTIVE" | "DISABLED">().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    check("partners_payload", isOneOf(table.payload, ["full", "thin"])),
    check("partners_webhook_status", isOneOf(table.webhookStatus, ["ACTIVE", "DISABLED"])),
  ],
);
