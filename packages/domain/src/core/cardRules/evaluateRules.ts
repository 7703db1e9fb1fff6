/**
 * Which rules decline a use of a card. Pure: the caller reads rules and earlier payments.
 *
 * Rules that need no other payment are evaluated first, and if one of them declines, no further rule is. The rest is
 * evaluated behind the locks, with the payments that `planHistory` names.
 */
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import { sumOf } from "../money.ts";
import type { CardUse, CompiledRule, UseFacts } from "./compileRule.ts";
import { windowStart } from "./windowStart.ts";

/** A version that declines a use or, in SHADOW, would. */
export interface RuleHit {
  readonly ruleId: string;
  readonly version: number;
  readonly state: CompiledRule["state"];
  readonly reason: DeclineReason;
}

/** What the rules say that need no other payment. */
export interface RuleMatch {
  readonly hits: readonly RuleHit[];
  /** Rules whose other conditions hold, so that earlier payments decide. */
  readonly pending: readonly CompiledRule[];
}

const hitOf = ({ ruleId, version, state, reason }: CompiledRule): RuleHit => ({ ruleId, version, state, reason });

/** Evaluates what needs no other payment, in the order of the rules. */
export function matchRules(rules: readonly CompiledRule[], use: UseFacts): RuleMatch {
  const matching = rules.filter((rule) => rule.matches(use));
  const needsHistory = ({ windows, newMerchantPer }: CompiledRule) => windows.length > 0 || newMerchantPer !== null;
  return {
    hits: matching.filter((rule) => !needsHistory(rule)).map(hitOf),
    pending: matching.filter(needsHistory),
  };
}

/** The first rule that declines; SHADOW never does. */
export const findDeclineReason = (hits: readonly RuleHit[]): DeclineReason | null =>
  hits.find(({ state }) => state === "ACTIVE")?.reason ?? null;

/** The earlier payments that pending rules need. */
export interface HistoryPlan {
  /** The approved payments since an instant, `-Infinity` for all; null where no rule has a window. */
  readonly since: number | null;
  /** Payments of all cards of the user, not of this card alone. */
  readonly ofUser: boolean;
  /** Whether earlier payments to the merchant are looked for. */
  readonly merchant: boolean;
}

/** What pending rules need for a use at an instant; null where there are none. */
export function planHistory(pending: readonly CompiledRule[], at: number): HistoryPlan | null {
  if (pending.length === 0) return null;
  const windows = pending.flatMap((rule) => rule.windows);
  return {
    since: windows.length === 0 ? null : Math.min(...windows.map(({ window }) => windowStart(window, at))),
    ofUser: windows.some(({ per }) => per === "user"),
    merchant: pending.some(({ newMerchantPer }) => newMerchantPer !== null),
  };
}

/** Earlier payments, as a plan names them. */
export interface History {
  readonly payments: readonly CardUse[];
  /** Whether an earlier payment of this card, or of any card of the user, went to the merchant. */
  readonly paidMerchant: { readonly card: boolean; readonly user: boolean };
}

/** The history of a use whose rules need none. */
export const noHistory: History = { payments: [], paidMerchant: { card: false, user: false } };

/** Evaluates pending rules with the payments before this use, which does not stand among them. */
export function evaluateRules(pending: readonly CompiledRule[], use: CardUse, history: History): RuleHit[] {
  return pending
    .filter((rule) => {
      if (rule.newMerchantPer !== null && history.paidMerchant[rule.newMerchantPer]) return false;
      if (rule.windows.length === 0) return true;
      const counted = history.payments.filter((payment) => payment.amountCents > 0n && rule.matches(payment));
      return rule.windows.every((condition) => {
        const start = windowStart(condition.window, use.at);
        const isWithin = (at: number) => at >= start && windowStart(condition.window, at) === start;
        const amounts = counted
          .filter(({ cardId }) => condition.per === "user" || cardId === use.cardId)
          .map((payment) => amountWithin(payment, isWithin))
          .filter((cents) => cents > 0n);
        return condition.type === "count"
          ? amounts.length + (use.amountCents > 0n ? 1 : 0) > condition.above
          : sumOf(amounts) + amountWithin(use, isWithin) > BigInt(condition.aboveCents);
      });
    })
    .map(hitOf);
}

/** What of a use was approved in a window, in cents. */
function amountWithin({ at, amountCents, parts = [] }: CardUse, isWithin: (at: number) => boolean): bigint {
  const first = amountCents - sumOf(parts.map((part) => part.amountCents));
  const others = parts.filter((part) => isWithin(part.at)).map((part) => part.amountCents);
  return sumOf(isWithin(at) ? [first, ...others] : others);
}
