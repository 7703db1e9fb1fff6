/**
 * Native tokens that the top-up account sent to keys that pay for transactions.
 *
 * - top-up: one transfer of native tokens, sent as a relay transaction. Its row is written in the commit that reserves its
 *   nonce, so the sum of a day is known before anything is sent.
 */
import { index, pgTable, text } from "drizzle-orm/pg-core";
import { address, amount, hex, instant } from "../columns.ts";

export const topUps = pgTable(
  "top_ups",
  {
    id: text().primaryKey(),
    recipient: address().notNull(),
    amount: amount().notNull(),
    createdAt: instant().notNull(),
    /** When its transaction was last found mined, or lost; null while it is under way. */
    settledAt: instant(),
    /** The mined transaction; null where another program used its nonce. */
    hash: hex(),
  },
  (table) => [
    index("top_ups_age").on(table.createdAt),
    index("top_ups_settled").on(table.settledAt),
    index("top_ups_recipient").on(table.recipient, table.createdAt),
  ],
);
