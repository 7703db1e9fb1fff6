import type { Executor } from "@cardkeep/db/client";
import { listOpenTables } from "@cardkeep/db/queries/core/personalData/personalData";
import type { User } from "@cardkeep/db/queries/users/users";

/** What an operator calls the tables in which something of a person may be under way. */
const words: Readonly<Record<string, string>> = {
  card_envelopes: "a card number that is being shown",
  card_disputes: "a dispute",
  card_cases: "an open case",
  card_payments: "a card payment or its debt",
  cards: "a card that has not ended",
  card_issues: "a card that is being made",
  ibans: "an IBAN that is being opened",
  order_returns: "money of an order that is being returned",
  orders: "a card order",
  delay_transactions: "a withdrawal or another operation",
  safes: "an account that is being set up",
};

/** What is under way of a user, in words: while anything is, the user cannot be erased. */
export const listUnderWay = async (on: Executor, user: User): Promise<string[]> =>
  (await listOpenTables(on, user)).map((table) => words[table] ?? table.replaceAll("_", " "));
