import type { RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import { type CardUse, compileDefinition, type UseFacts } from "./compileRule.ts";
import { windowStart } from "./windowStart.ts";

/** A payment of the past: what was asked for, and what stands of it today. */
export interface ReplayedUse extends CardUse {
  readonly spentCents: bigint;
}

/** Plays a definition over the payments of one user after another. */
export interface Replay {
  readonly reason: DeclineReason;
  /** Forgets the earlier payments: those of another user follow. */
  startUser(): void;
  /**
   * Whether the rule would decline a payment. Payments of a user come in the order of their time; what would have been
   * declined counts in no window, as if the rule had been active.
   */
  decide(use: ReplayedUse): boolean;
  /** Counts a payment from before the examined time, which the rule does not decide about. */
  remember(use: ReplayedUse): void;
}

interface Counter {
  start: number;
  count: number;
  cents: bigint;
}

/** How a merchant is recognised: by its id in the network, otherwise by its name; null without both. */
const nameMerchant = ({ merchantNetworkId, merchantName }: UseFacts): string | null =>
  merchantNetworkId ?? merchantName?.trim().toLowerCase() ?? null;

/** Creates a replay. Its memory is what the windows of one user hold, however many payments are played. */
export function createReplay(definition: RuleDefinition): Replay {
  const { matches, windows, newMerchantPer, reason } = compileDefinition(definition);
  const counters = new Map<string, Counter>();
  const merchants = new Set<string>();

  const counterOf = (index: number, per: "card" | "user", { cardId, at }: CardUse): Counter => {
    const window = windows[index]?.window ?? "always";
    const key = `${index} ${per === "card" ? cardId : ""}`;
    const start = windowStart(window, at);
    const known = counters.get(key);
    if (known?.start === start) return known;
    const counter = { start, count: 0, cents: 0n };
    counters.set(key, counter);
    return counter;
  };
  const merchantKey = (use: CardUse): string | null => {
    const name = nameMerchant(use);
    return name === null ? null : `${newMerchantPer === "card" ? use.cardId : ""} ${name}`;
  };
  const isNewMerchant = (use: CardUse): boolean => {
    const key = merchantKey(use);
    return key === null || !merchants.has(key);
  };
  const remember = (use: ReplayedUse): void => {
    const stood = { ...use, amountCents: use.spentCents };
    if (stood.amountCents <= 0n) return;
    const merchant = newMerchantPer === null ? null : merchantKey(stood);
    if (merchant !== null) merchants.add(merchant);
    if (windows.length === 0 || !matches(stood)) return;
    for (const [index, { per }] of windows.entries()) {
      const counter = counterOf(index, per, stood);
      counter.count += 1;
      counter.cents += stood.amountCents;
    }
  };

  return {
    reason,
    startUser: () => {
      counters.clear();
      merchants.clear();
    },
    remember,
    decide: (use) => {
      const isDeclined =
        matches(use) &&
        (newMerchantPer === null || isNewMerchant(use)) &&
        windows.every((condition, index) => {
          const { count, cents } = counterOf(index, condition.per, use);
          return condition.type === "count"
            ? count + (use.amountCents > 0n ? 1 : 0) > condition.above
            : cents + use.amountCents > BigInt(condition.aboveCents);
        });
      if (!isDeclined) remember(use);
      return isDeclined;
    },
  };
}
