/** A version of a rule in the form that decisions run. Pure: the same definition compiles to the same answers. */
import {
  type CardChannel,
  isWindowCondition,
  type RuleCondition,
  type RuleDefinition,
  type WindowCondition,
} from "@cardkeep/contract/cards/cardRules";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import type { LiveRule } from "@cardkeep/db/queries/cards/cardRules/liveRules";

/** What conditions see of a use of a card: the present one, or an earlier payment with what was not reversed of it. */
export interface UseFacts {
  readonly cardId: string;
  /** In the card's currency. An earlier payment of zero, or that was reversed whole, is no payment to `count`. */
  readonly amountCents: bigint;
  readonly mcc: string;
  readonly country: string | null;
  readonly channel: CardChannel | null;
  /** The merchant's. */
  readonly currency: string;
  readonly merchantNetworkId: string | null;
  readonly merchantName: string | null;
}

/** What was approved of a use at an instant, in milliseconds of Unix time by the service's clock. */
export interface UsePart {
  readonly at: number;
  readonly amountCents: bigint;
}

/** A use at an instant of the same kind. */
export interface CardUse extends UseFacts {
  readonly at: number;
  /** The parts of its amount that were approved at other instants than `at`. */
  readonly parts?: readonly UsePart[];
}

/** What a definition compiles to. */
export interface CompiledDefinition {
  /** Whether the conditions hold that need no other payment. */
  readonly matches: (use: UseFacts) => boolean;
  readonly windows: readonly WindowCondition[];
  /** Whose earlier payments make a merchant known; null where the rule does not ask. */
  readonly newMerchantPer: "card" | "user" | null;
  readonly reason: DeclineReason;
}

export interface CompiledRule extends LiveRule, CompiledDefinition {}

/** Compiles a version that runs. */
export const compileRule = (rule: LiveRule): CompiledRule => ({ ...rule, ...compileDefinition(rule.definition) });

/** Compiles a definition. */
export function compileDefinition({ conditions }: RuleDefinition): CompiledDefinition {
  const tests = conditions.flatMap((condition) => compileCondition(condition) ?? []);
  return {
    matches: (use) => tests.every((test) => test(use)),
    windows: conditions.filter(isWindowCondition),
    newMerchantPer: conditions.find((condition) => condition.type === "new_merchant")?.per ?? null,
    reason: reasonOf(conditions),
  };
}

type Test = (use: UseFacts) => boolean;

/** Null for conditions that read other payments. */
function compileCondition(condition: RuleCondition): Test | null {
  switch (condition.type) {
    case "mcc":
      return holdsIf(condition.operator, compileMccs(condition.values));
    case "country":
      return compileList(condition, ({ country }) => country);
    case "channel":
      return compileList(condition, ({ channel }) => channel);
    case "currency":
      return compileList(condition, ({ currency }) => currency);
    case "merchant":
      return holdsIf(condition.operator, compileMerchants(condition.values));
    case "amount": {
      const cents = BigInt(condition.cents);
      return condition.operator === "above"
        ? ({ amountCents }) => amountCents > cents
        : ({ amountCents }) => amountCents < cents;
    }
    case "new_merchant":
    case "count":
    case "sum":
      return null;
  }
}

const holdsIf = (operator: "in" | "not_in", isIn: Test): Test => (operator === "in" ? isIn : (use) => !isIn(use));

function compileList(
  { operator, values }: { operator: "in" | "not_in"; values: readonly string[] },
  read: (use: UseFacts) => string | null,
): Test {
  const listed = new Set(values);
  return holdsIf(operator, (use) => {
    const value = read(use);
    return value !== null && listed.has(value);
  });
}

/** Categories have four digits, so their texts have the order of their numbers. */
function compileMccs(values: readonly string[]): Test {
  const single = new Set(values.filter((value) => !value.includes("-")));
  const ranges = values.flatMap((value) => {
    const [low, high] = value.split("-");
    return low !== undefined && high !== undefined ? [{ low, high }] : [];
  });
  return ({ mcc }) => single.has(mcc) || ranges.some(({ low, high }) => low <= mcc && mcc <= high);
}

function compileMerchants(values: readonly string[]): Test {
  const listed = new Set(values.map((value) => value.toLowerCase()));
  return ({ merchantNetworkId: id, merchantName: name }) =>
    (id !== null && listed.has(id.toLowerCase())) || (name !== null && listed.has(name.trim().toLowerCase()));
}

const reasons = {
  mcc: "category_blocked",
  country: "country_blocked",
  channel: "channel_blocked",
  currency: "currency_blocked",
  merchant: "merchant_blocked",
  amount: "amount_blocked",
  new_merchant: "merchant_new",
  count: "count_exceeded",
  sum: "sum_exceeded",
} as const satisfies Record<RuleCondition["type"], DeclineReason>;

/** The conditions that explain a decline best; without any of them the first one does. */
const leading = ["sum", "count", "new_merchant", "amount"] as const;

function reasonOf(conditions: readonly RuleCondition[]): DeclineReason {
  const types = conditions.map(({ type }) => type);
  const type = leading.find((candidate) => types.includes(candidate)) ?? types[0];
  if (type === undefined) throw new Error("A rule has no condition");
  return reasons[type];
}
