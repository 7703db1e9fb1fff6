/** Rules in words, for people who did not write them. */
import { centDecimals } from "@cardkeep/contract/core/currencies";
import type { CardChannel, RuleCondition, RuleDefinition, RuleWindow } from "@cardkeep/contract/cards/cardRules";
import { formatUnits } from "../wording.ts";

const channelWords: Readonly<Record<CardChannel, string>> = {
  online: "online",
  chip: "with the chip",
  contactless: "contactless",
  magstripe: "with the magnetic stripe",
  cash_machine: "at a cash machine",
  keyed: "with a typed card number",
};

const windowWords: Readonly<Record<RuleWindow, string>> = {
  hour: "in an hour",
  day: "in a day",
  week: "in a week",
  month: "in a month",
  always: "in all",
};

const ofWords = { card: "of the card", user: "of all cards of the user" } as const;

const orList = new Intl.ListFormat("en", { type: "disjunction" });
const shownMax = 8;

/** The first values of a list; a long one says how many more there are. */
function listValues(values: readonly string[]): string {
  const more = values.length - shownMax;
  return orList.format(more > 1 ? [...values.slice(0, shownMax), `${more} more`] : values);
}

const money = (cents: number): string => {
  const [whole = "0", fraction = ""] = formatUnits(BigInt(cents), centDecimals).split(".");
  return `${whole}.${fraction.padEnd(centDecimals, "0")}`;
};

function describeStill(condition: RuleCondition): string | null {
  switch (condition.type) {
    case "mcc": {
      const values = listValues(condition.values.map((value) => value.replace("-", " to ")));
      return `${condition.operator === "in" ? "in" : "outside of"} the merchant categories ${values}`;
    }
    case "country":
      return `${condition.operator === "in" ? "in" : "outside of"} ${listValues(condition.values)}`;
    case "channel": {
      const values = listValues(condition.values.map((channel) => channelWords[channel]));
      return condition.operator === "in" ? values : `other than ${values}`;
    }
    case "currency":
      return `in ${condition.operator === "in" ? "" : "another currency than "}${listValues(condition.values)}`;
    case "merchant":
      return `at ${condition.operator === "in" ? "" : "another merchant than "}${listValues(condition.values)}`;
    case "amount":
      return `of ${condition.operator === "above" ? "more" : "less"} than ${money(condition.cents)}`;
    case "new_merchant":
      return `at a merchant that ${condition.per === "card" ? "the card" : "no card of the user"} ${condition.per === "card" ? "has not paid" : "has paid"} before`;
    case "count":
    case "sum":
      return null;
  }
}

function describeWindow(condition: RuleCondition): string | null {
  if (condition.type === "count")
    return `as soon as there are more than ${condition.above} such payments ${ofWords[condition.per]} ${windowWords[condition.window]}`;
  if (condition.type === "sum")
    return `as soon as such payments ${ofWords[condition.per]} are more than ${money(condition.aboveCents)} ${windowWords[condition.window]}`;
  return null;
}

/** A definition as a sentence; amounts are in the card's currency. */
export function describeRule({ conditions }: RuleDefinition): string {
  const still = conditions.flatMap((condition) => describeStill(condition) ?? []);
  const windows = conditions.flatMap((condition) => describeWindow(condition) ?? []);
  const what = ["Declines payments", still.join(", ")].filter(Boolean).join(" ");
  return `${[what, windows.join(" and ")].filter(Boolean).join(", ")}.`;
}
