/** What stands beside the moves of the treasury: movements that were not announced, and where money may go. */
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import type { PartTable } from "../noun.ts";
import { code, instant, text, wholeTokens } from "../value.ts";

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
