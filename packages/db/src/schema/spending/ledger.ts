import { check, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import { amount, instant } from "../columns.ts";
import { safes } from "../accounts/safes.ts";
import { cardTransfers } from "./transfers.ts";

/** The accounts of the ledger; each is a column of an entry. */
export const ledgerAccounts = ["safe", "held", "settlement", "owed", "advanced", "writtenOff"] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** What an entry books on one account, in base units of the Safe's token. */
const booked = () =>
  amount()
    .notNull()
    .default(sql`0`);

/**
 * The ledger of card money: each entry books on several accounts and sums to zero, and none is ever changed. A check and a
 * trigger hold both. An entry is in the partition of its payment.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** One move of one transfer, or a change of a payment's debt. */
    id: text().notNull(),
    paymentId: text().notNull(),
    /** Of the transfer that moved, or that caused the debt. */
    ordinal: integer().notNull(),
    userId: text().notNull(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    /** What the Safe can spend. */
    safe: booked(),
    /** Still the Safe's, on its way out. */
    held: booked(),
    /** At the settlement account. */
    settlement: booked(),
    /** The person's debt. */
    owed: booked(),
    /** The other side of the debt: what the operator pays the issuer for that person. */
    advanced: booked(),
    /** What the operator gave up of debts: its loss, until a refund makes up for it. */
    writtenOff: booked(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.paymentId, table.id, table.userId] }),
    foreignKey({
      columns: [table.paymentId, table.ordinal, table.userId],
      foreignColumns: [cardTransfers.paymentId, cardTransfers.ordinal, cardTransfers.userId],
      name: "ledger_entries_transfer",
    }),
    index("ledger_entries_safe").on(table.safeId, table.createdAt),
    // Books of the firm follow entries by their time. Of a block range, an insert writes nothing as a rule.
    index("ledger_entries_time").using("brin", table.createdAt),
    check(
      "ledger_entries_balance",
      sql`${table.safe} + ${table.held} + ${table.settlement} + ${table.owed} + ${table.advanced} + ${table.writtenOff} = 0`,
    ),
  ],
);
