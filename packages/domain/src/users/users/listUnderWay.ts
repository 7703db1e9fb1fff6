import { hourMs } from "@cardkeep/contract/core/durations";
import type { Executor } from "@cardkeep/db/client";
import { listOpenTables } from "@cardkeep/db/queries/core/personalData/personalData";
import { listOpenIbanOrders } from "@cardkeep/db/queries/users/ibanOrders";
import type { User } from "@cardkeep/db/queries/users/users";
import { keptHours } from "../../core/privacy/keptHours.ts";

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

const ordersMax = 5;
/** No callback about an order comes after so long. The institution repeats one for half a day, and a bank takes days. */
const lostMs = keptHours.emoney_callbacks * hourMs;

/** What is under way of a user, in words: while anything is, the user cannot be erased. */
export async function listUnderWay(on: Executor, user: User, now: Date): Promise<string[]> {
  const found = await listOpenTables(on, user);
  const lostBefore = new Date(now.getTime() - lostMs);
  const orders = await listOpenIbanOrders(on, user.id, { limit: ordersMax, lostBefore });
  return [
    ...found.map((table) => words[table] ?? table.replaceAll("_", " ")),
    // Only the institution ends one, so an operator has to know which.
    ...orders.map(({ id }) => `IBAN order ${id}, which the e-money institution has to process or reject`),
  ];
}
