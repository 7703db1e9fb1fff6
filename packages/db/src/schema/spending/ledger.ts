import { check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { amount, instant, isOneOf } from "../columns.ts";
import { safes } from "../safes.ts";
import { cardTransfers } from "./transfers.ts";

export const ledgerAccounts = ["safe", "held", "settlement", "owed", "advanced"] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/**
 * The ledger of card money, in base units of the Safe's token: each journal's entries sum to zero, and none is ever
 * changed. Triggers hold both.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** What is booked at once: one move of one transfer, or a change of a payment's debt. */
    journal: text().notNull(),
    /**
     * `safe`: what a Safe can spend. `held`: still the Safe's, on its way out. `settlement`: at the settlement account.
     * `owed`: a person's debt. `advanced`: its other side, what the operator pays the issuer for that person.
     */
    account: text().$type<LedgerAccount>().notNull(),
    transferId: text()
      .notNull()
      .references(() => cardTransfers.id),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    amount: amount().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.journal, table.account] }),
    index("ledger_entries_safe").on(table.safeId, table.account),
    index("ledger_entries_transfer").on(table.transferId),
    check("ledger_entries_account", isOneOf(table.account, ledgerAccounts)),
  ],
);
