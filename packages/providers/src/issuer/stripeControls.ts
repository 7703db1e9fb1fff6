/** Controls of a card in the issuer's form. Source: docs.stripe.com/issuing/controls/spending-controls. */
import type Stripe from "stripe";
import type { ControlWindow, IssuerControls } from "./controls.ts";
import { listCategories, merchantCategories } from "./merchantCategories.ts";

/** Minor units a day: the largest daily limit of an account. Without a limit from us the issuer sets a small one. */
const dailyLimitMax = 800_000n;
/** The issuer takes amounts up to this, in minor units. */
const amountMax = 99_999_999n;

const intervals = {
  payment: "per_authorization",
  day: "daily",
  week: "weekly",
  month: "monthly",
  always: "all_time",
} as const satisfies Record<ControlWindow, string>;

type SpendingControls = NonNullable<Stripe.Issuing.CardUpdateParams["spending_controls"]>;
type Lists = Record<Exclude<keyof SpendingControls, "spending_limits">, string[]>;

const presences = ["present", "not_present"] as const;

/** Builds the spending controls of a new card. */
export function buildSpendingControls(controls: IssuerControls): SpendingControls {
  const { isClosed, blockedMccs, countries, blockedPresences } = controls;
  const blocked = listBlockedCategories(blockedMccs);
  // The shorter one of the two lists that say the same.
  const isMostBlocked = blocked.length > merchantCategories.length / 2;
  const lists: Lists = {
    allowed_card_presences: [],
    blocked_card_presences: isClosed ? [...presences] : [...blockedPresences],
    allowed_categories: isMostBlocked ? merchantCategories.filter((category) => !blocked.includes(category)) : [],
    blocked_categories: isMostBlocked ? [] : blocked,
    allowed_merchant_countries: countries?.list === "allowed" ? [...countries.codes] : [],
    blocked_merchant_countries: countries?.list === "blocked" ? [...countries.codes] : [],
  };
  const set = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  return { ...set, spending_limits: buildLimits(controls) };
}

/** An empty value unsets a list; the package's types know only lists, and leave an empty one out of the form. */
const unset = {
  allowed_card_presences: "",
  blocked_card_presences: "",
  allowed_categories: "",
  blocked_categories: "",
  allowed_merchant_countries: "",
  blocked_merchant_countries: "",
} satisfies Record<keyof Lists, "">;

/** Builds the controls that replace all those of a card. */
export const replaceSpendingControls = (controls: IssuerControls): SpendingControls =>
  Object.assign({}, unset, buildSpendingControls(controls));

function listBlockedCategories(patterns: readonly string[]): string[] {
  const ranges = patterns.map((pattern) => pattern.split("-")).map(([low = "", high = low]) => ({ low, high }));
  return ranges.length === 0 ? [] : listCategories((mcc) => ranges.some(({ low, high }) => low <= mcc && mcc <= high));
}

/** The issuer's weeks begin on Sunday, ours on Monday: one of its weeks lies in two of ours, so it may hold both amounts. */
const toIssuerCents = (window: ControlWindow, cents: bigint): bigint => (window === "week" ? cents * 2n : cents);

function buildLimits({ limits }: IssuerControls): NonNullable<SpendingControls["spending_limits"]> {
  const day = limits.find(({ window }) => window === "day")?.cents ?? dailyLimitMax;
  const others = limits.filter(({ window }) => window !== "day");
  const capped = [{ window: "day" as const, cents: day < dailyLimitMax ? day : dailyLimitMax }, ...others];
  return capped.flatMap(({ window, cents }) => {
    const amount = toIssuerCents(window, cents);
    // A larger amount is no limit that the issuer could hold, and zero is none that it takes.
    if (amount > amountMax) return [];
    return [{ amount: Math.max(1, Number(amount)), interval: intervals[window] }];
  });
}
