/**
 * The settlement account's money: what the ledger has there against what the chain has.
 *
 * - change: a booking on the ledger's `settlement` account, written by a trigger in the booking's own transaction. The
 *   comparison adds changes up and removes them, so that no sum over the whole ledger is ever needed.
 */
import { pgTable, text } from "drizzle-orm/pg-core";
import { amount, counter, instant } from "../columns.ts";

/** The tokens that a Safe can have for its cards. */
export type SettlementToken = "EURe" | "GBPe" | "USDCe";

export const settlementChanges = pgTable("settlement_changes", {
  id: counter().primaryKey().generatedAlwaysAsIdentity(),
  token: text().$type<SettlementToken>().notNull(),
  amount: amount().notNull(),
});

/** One row a token, in base units, as of the last comparison. */
export const settlementFunds = pgTable("settlement_funds", {
  token: text().$type<SettlementToken>().primaryKey(),
  /** Sum of the changes that were added up and removed. */
  folded: amount().notNull(),
  /** What the chain had to have at least: the ledger's balance less every return under way, or with these while an item is open. */
  required: amount().notNull(),
  balance: amount().notNull(),
  /** When the balance was first found too small, without a break since; null where it is not. */
  shortSince: instant(),
  comparedAt: instant().notNull(),
});
