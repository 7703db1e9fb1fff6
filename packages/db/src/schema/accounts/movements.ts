/** Movements: transfers of our tokens from and to Safes, as the chain has them. */
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant } from "../columns.ts";
import { safes } from "./safes.ts";

/** Rows of a removed block are deleted. The sum of a Safe's rows of a token is its balance. */
export const movements = pgTable(
  "movements",
  {
    safeId: text()
      .notNull()
      .references(() => safes.id),
    blockNumber: counter().notNull(),
    /** Position in the block. */
    logIndex: integer().notNull(),
    token: address().notNull(),
    /** Base units: above zero into the Safe, below zero out of it. */
    amount: amount().notNull(),
    /** The other side. */
    party: address().notNull(),
    hash: hex().notNull(),
    /** The block's time. */
    at: instant().notNull(),
    /** When it counts for statements: the block's time, or when it was read if that month's statement was closed by then. */
    statedAt: instant().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.safeId, table.blockNumber, table.logIndex] }),
    index("movements_block").on(table.blockNumber),
    index("movements_safe").on(table.safeId, table.statedAt),
    check("movements_amount", sql`${table.amount} <> 0`),
  ],
);
