/** What stands beside the moves of the treasury: where money is, movements that were not announced, and where money may go. */
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import type { PartTable } from "../noun.ts";
import { code, instant, text, type Value, wholeTokens } from "../value.ts";

const orNone = (amount: string | null, currency: string): Value =>
  amount === null ? text(null) : wholeTokens(amount, currency);

export const listMoneyOf = ({ money }: Treasury): PartTable => ({
  name: "money",
  title: "Money",
  none: "There is no token.",
  columns: ["Token", "Settlement", "Of it free", "Treasury", "Redeemable", "To issuer", "At issuer", "Cover"],
  rows: money.map(({ token, currency, settlement, treasury, issuer }) => [
    code(token),
    wholeTokens(settlement.balance, token),
    wholeTokens(settlement.free, token),
    wholeTokens(treasury.balance, token),
    text(treasury.redeemable ? "yes" : "no"),
    orNone(issuer.inTransit, currency),
    orNone(issuer.balance, currency),
    text(issuer.hoursOfCover === null ? null : `${issuer.hoursOfCover} h`),
  ]),
});

export const listItemsOf = ({ openItems }: Treasury): PartTable => ({
  name: "items",
  title: "Unannounced movements",
  none: "Every movement of the settlement account is known.",
  columns: ["Item", "Missing", "Found"],
  rows: openItems.map(({ id, amount: missing, token, foundAt }) => [
    code(id),
    wholeTokens(missing, token),
    instant(foundAt),
  ]),
});

/** What the books have in suspense: neither an event nor an operator explains it. */
export const listUnexplainedOf = ({ unexplained }: Treasury): PartTable => ({
  name: "unexplained",
  title: "Unexplained in the books",
  lead: "Money that moved on chain without an event. Two persons explain each entry. Of what came, less than a cent is left out.",
  none: "The books know every transfer of these accounts.",
  columns: ["Entry", "Account", "Amount", "Transaction", "Day"],
  rows: unexplained.map(({ id, place, token, amount, transaction, day }) => [
    code(id),
    text(place),
    wholeTokens(amount, token),
    code(transaction),
    text(day),
  ]),
});

export const listDestinationsOf = ({ destinations }: Treasury): PartTable => ({
  name: "destinations",
  title: "Allow-list",
  lead: "A new destination counts a day after two persons added it.",
  none: "The list is empty: no money can leave.",
  columns: ["IBAN or address", "Holder", "Added by", "Counts from"],
  rows: destinations.map(({ value, label, addedBy, usableAt }) => [
    code(value),
    text(label),
    text(addedBy),
    instant(usableAt),
  ]),
});
