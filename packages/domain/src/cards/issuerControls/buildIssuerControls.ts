/**
 * The coarse part of the rules in force on a card, as the issuer applies it without the service. Pure.
 *
 * The issuer forbids nothing that the rules allow. So only a rule with one condition has a part here, and what the issuer
 * cannot distinguish has none: currencies, merchants, counts of payments in a window, and hours.
 */
import { cardChannels, type RuleCondition, type RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import type { ControlWindow, IssuerControls } from "@cardkeep/providers/issuer/controls";
import { complement, formatRanges, type MccRanges, readRanges, unite } from "./mccRanges.ts";

/** What single conditions decline, of all rules together. */
interface Declined {
  isClosed: boolean;
  mccs: MccRanges;
  /** The only countries that are left; null while every country is. */
  allowed: ReadonlySet<string> | null;
  blocked: Set<string>;
  channels: Set<string>;
  /** Whether a use is declined of which the issuer does not say how. */
  unknownChannel: boolean;
  limits: Map<ControlWindow, bigint>;
}

/** @param paidCount the card's payments that ended with a capture; counted where a rule asks for it */
export function buildIssuerControls(definitions: readonly RuleDefinition[], paidCount: number): IssuerControls {
  const declined: Declined = {
    isClosed: false,
    mccs: [],
    allowed: null,
    blocked: new Set(),
    channels: new Set(),
    unknownChannel: false,
    limits: new Map(),
  };
  for (const { conditions } of definitions) {
    const [condition] = conditions;
    if (condition && conditions.length === 1) add(declined, condition, paidCount);
  }
  const { allowed, blocked, limits } = declined;
  const left = allowed && [...allowed].filter((country) => !blocked.has(country)).toSorted();
  return {
    isClosed: declined.isClosed || left?.length === 0,
    blockedMccs: formatRanges(declined.mccs),
    countries:
      left !== null
        ? { list: "allowed", codes: left }
        : blocked.size > 0
          ? { list: "blocked", codes: [...blocked].toSorted() }
          : null,
    blockedPresences: listPresences(declined),
    limits: [...limits].map(([window, cents]) => ({ window, cents })).toSorted(byWindow),
  };
}

const byWindow = (a: { window: string }, b: { window: string }): number => (a.window < b.window ? -1 : 1);

function add(declined: Declined, condition: RuleCondition, paidCount: number): void {
  switch (condition.type) {
    case "mcc": {
      const values = readRanges(condition.values);
      declined.mccs = unite([...declined.mccs, ...(condition.operator === "in" ? values : complement(values))]);
      return;
    }
    case "country": {
      const listed = new Set(condition.values);
      if (condition.operator === "in") for (const country of listed) declined.blocked.add(country);
      else declined.allowed = declined.allowed === null ? listed : listed.intersection(declined.allowed);
      return;
    }
    case "channel": {
      const { operator, values } = condition;
      for (const channel of cardChannels)
        if (values.includes(channel) === (operator === "in")) declined.channels.add(channel);
      if (operator === "not_in") declined.unknownChannel = true;
      return;
    }
    case "amount":
      if (condition.operator === "above") limit(declined, "payment", condition.cents);
      return;
    case "sum":
      // A card's part of what all cards of its user spend is no larger than the whole.
      if (condition.window !== "hour") limit(declined, condition.window, condition.aboveCents);
      return;
    case "count":
      if (isCounted(condition) && paidCount >= condition.above) declined.isClosed = true;
      return;
    case "currency":
    case "merchant":
    case "new_merchant":
      return;
  }
}

/** Whether a condition ends a card after a number of payments, as that of a one-time card does. */
const isCounted = (condition: RuleCondition): condition is Extract<RuleCondition, { type: "count" }> =>
  condition.type === "count" && condition.window === "always" && condition.per === "card";

/** Whether a card's payments have to be counted for its controls. */
export const countsPayments = (definitions: readonly RuleDefinition[]): boolean =>
  definitions.some(({ conditions: [first, ...rest] }) => rest.length === 0 && first !== undefined && isCounted(first));

function limit({ limits }: Declined, window: ControlWindow, cents: number): void {
  const known = limits.get(window);
  if (known === undefined || BigInt(cents) < known) limits.set(window, BigInt(cents));
}

const withoutCard = ["online", "keyed"];
const everyChannel: readonly string[] = cardChannels;

/** The card is shown, or not. A number that is keyed in may go with either. */
function listPresences({ channels, unknownChannel }: Declined): ("present" | "not_present")[] {
  const isOff = (those: readonly string[]) => those.every((channel) => channels.has(channel));
  const isPresentOff = unknownChannel && isOff(everyChannel.filter((channel) => channel !== "online"));
  return [...(isPresentOff ? (["present"] as const) : []), ...(isOff(withoutCard) ? (["not_present"] as const) : [])];
}
