/** Controls as rules, and the part of rules that the issuer applies, against what the documents say themselves. */
import { type CardControls, controlWindows } from "@cardkeep/contract/cards/cardControls";
import { cardChannels } from "@cardkeep/contract/cards/cardRules";
import { buildControlRules } from "@cardkeep/domain/cards/cardControls/buildControlRules";
import { buildIssuerControls } from "@cardkeep/domain/cards/issuerControls/buildIssuerControls";
import { complement, formatRanges, readRanges, unite } from "@cardkeep/domain/cards/issuerControls/mccRanges";
import { type CardUse, compileRule } from "@cardkeep/domain/core/cardRules/compileRule";
import { evaluateRules, findDeclineReason, matchRules } from "@cardkeep/domain/core/cardRules/evaluateRules";
import { replaceSpendingControls } from "@cardkeep/providers/issuer/stripeControls";
import { mergeControls } from "@cardkeep/sandbox/issuer/spendingControls";
import { categoryOf } from "@cardkeep/providers/issuer/merchantCategories";
import { expect, test } from "bun:test";
import fc from "fast-check";

const mccs = ["5411", "7800", "7801", "7995", "6011"];
const countries = ["DE", "AT", "FR"];
const day = Date.parse("2026-11-22T00:00:00Z");
const hours = (count: number) => count * 3_600_000;

const uses: fc.Arbitrary<CardUse> = fc.record({
  cardId: fc.constantFrom("card", "other"),
  // Around a midnight that ends a week, and the end of a month.
  at: fc.integer({ min: -30, max: 230 }).map((each) => day + hours(each)),
  amountCents: fc.bigInt(1n, 60n),
  mcc: fc.constantFrom(...mccs),
  country: fc.constantFrom(...countries, null),
  channel: fc.constantFrom(...cardChannels, null),
  currency: fc.constant("EUR"),
  merchantNetworkId: fc.constantFrom("1", "2", "3"),
  merchantName: fc.constant("Shop"),
});

const amounts = fc.bigInt(0n, 120n);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const listed = fc.subarray(countries, { minLength: 1 });
const documents: fc.Arbitrary<CardControls> = fc.record({
  blockedCategories: fc.subarray(["7995", "7800-7801", "5000-5999", "6011"]),
  allowedCountries: orNull(listed),
  blockedCountries: fc.constant(null),
  channels: fc.record({
    online: fc.boolean(),
    contactless: fc.boolean(),
    chip: fc.boolean(),
    magstripe: fc.boolean(),
    cashMachine: fc.boolean(),
  }),
  perPaymentAmount: orNull(amounts),
  limits: fc
    .subarray([...controlWindows])
    .chain((windows) =>
      fc.tuple(...windows.map((window) => fc.record({ window: fc.constant(window), amount: amounts }))),
    ),
  cashMachineDailyAmount: orNull(amounts),
  merchantLock: fc.record({ enabled: fc.boolean(), merchant: orNull(fc.constantFrom("1", "2")) }),
  oneTime: fc.boolean(),
  requireKnownMerchant: fc.boolean(),
});

/** The first day of an instant's window by the calendar, as a text. */
function nameWindow(window: string, at: number): string {
  const iso = new Date(at).toISOString();
  if (window === "always") return "";
  if (window === "month") return iso.slice(0, 7);
  if (window === "day") return iso.slice(0, 10);
  let monday = at;
  while (new Date(monday).getUTCDay() !== 1) monday -= hours(24);
  return new Date(monday).toISOString().slice(0, 10);
}

/** Whether a use goes against a document, told from the document alone. */
function violates(controls: CardControls, use: CardUse, earlier: readonly CardUse[]): boolean {
  const { channels, merchantLock } = controls;
  const own = earlier.filter(({ cardId }) => cardId === use.cardId);
  const sumOf = (those: readonly CardUse[]) =>
    those.reduce((sum, { amountCents }) => sum + amountCents, use.amountCents);
  const sameWindow = (window: string) => own.filter(({ at }) => nameWindow(window, at) === nameWindow(window, use.at));
  const isOff = {
    online: !channels.online,
    keyed: !channels.online,
    contactless: !channels.contactless,
    chip: !channels.chip,
    magstripe: !channels.magstripe,
    cash_machine: !channels.cashMachine,
  };
  const paid = (those: readonly CardUse[]) => those.some((each) => each.merchantNetworkId === use.merchantNetworkId);
  const cash = sameWindow("day").filter(({ channel }) => channel === "cash_machine");
  return (
    controls.blockedCategories.some((range) => {
      const [low = "", high = low] = range.split("-");
      return low <= use.mcc && use.mcc <= high;
    }) ||
    (controls.allowedCountries !== null && !controls.allowedCountries.includes(use.country ?? "")) ||
    (use.channel !== null && isOff[use.channel]) ||
    (controls.perPaymentAmount !== null && use.amountCents > controls.perPaymentAmount) ||
    controls.limits.some(({ window, amount }) => sumOf(sameWindow(window)) > amount) ||
    (controls.cashMachineDailyAmount !== null &&
      use.channel === "cash_machine" &&
      sumOf(cash) > controls.cashMachineDailyAmount) ||
    (merchantLock.enabled &&
      (merchantLock.merchant === null
        ? own.length > 0 && !paid(own)
        : merchantLock.merchant !== use.merchantNetworkId)) ||
    (controls.oneTime && own.length > 0) ||
    (controls.requireKnownMerchant && !paid(earlier))
  );
}

const compileControls = (controls: CardControls) =>
  [...buildControlRules(controls)].map(([ruleId, definition]) =>
    compileRule({ ruleId, version: 1, state: "ACTIVE", scope: "card", subjectId: "card", definition }),
  );

const declines = (controls: CardControls, use: CardUse, earlier: readonly CardUse[]): boolean => {
  const { hits, pending } = matchRules(compileControls(controls), use);
  const paid = (those: readonly CardUse[]) => those.some((each) => each.merchantNetworkId === use.merchantNetworkId);
  const paidMerchant = { card: paid(earlier.filter(({ cardId }) => cardId === use.cardId)), user: paid(earlier) };
  return findDeclineReason([...hits, ...evaluateRules(pending, use, { payments: earlier, paidMerchant })]) !== null;
};

test("rules decline a use if and only if it goes against the controls", () => {
  fc.assert(
    fc.property(documents, uses, fc.array(uses, { maxLength: 4 }), (controls, use, earlier) => {
      expect(declines(controls, use, earlier)).toBe(violates(controls, use, earlier));
    }),
    { numRuns: 3_000 },
  );
});

test("the issuer forbids no merchant, country, presence or amount that the rules allow", () => {
  const isOutside = (value: string, allowed: string[] | null, blocked: string[] | null) =>
    (allowed !== null && !allowed.includes(value)) || (blocked?.includes(value) ?? false);
  fc.assert(
    fc.property(documents, uses, fc.array(uses, { maxLength: 2 }), (controls, use, earlier) => {
      const definitions = [...buildControlRules(controls).values()];
      const paidCount = earlier.filter(({ cardId }) => cardId === use.cardId).length;
      const issued = buildIssuerControls(definitions, paidCount);
      const { spending_limits: limits, ...lists } = replaceSpendingControls(issued);
      const kept = mergeControls(null, JSON.parse(JSON.stringify(lists, (_, value) => (value === "" ? null : value))));
      const isPresent = use.channel !== "online" && use.channel !== "keyed" && use.channel !== null;
      const payment = limits?.find(({ interval }) => interval === "per_authorization");
      const isForbidden =
        isOutside(categoryOf(use.mcc), kept.allowed_categories, kept.blocked_categories) ||
        isOutside(use.country ?? "", kept.allowed_merchant_countries, kept.blocked_merchant_countries) ||
        isOutside(isPresent ? "present" : "not_present", kept.allowed_card_presences, kept.blocked_card_presences) ||
        (payment !== undefined && use.amountCents > BigInt(payment.amount));
      if (isForbidden && use.channel !== null) expect(declines(controls, use, earlier)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("controls of several rules are the strictest of each, and rules with further conditions have none", () => {
  const country = (operator: "in" | "not_in", ...values: string[]) => ({
    conditions: [{ type: "country" as const, operator, values }],
  });
  const sum = (aboveCents: number, per: "card" | "user") => ({
    conditions: [{ type: "sum" as const, window: "day" as const, per, aboveCents }],
  });
  expect(
    buildIssuerControls(
      [
        country("not_in", "DE", "AT"),
        country("not_in", "AT", "FR", "DE"),
        country("in", "DE"),
        sum(500, "card"),
        sum(300, "user"),
        { conditions: [{ type: "mcc", operator: "not_in", values: ["5411"] }] },
        { conditions: [{ type: "mcc", operator: "in", values: ["5411"] }, ...sum(100, "card").conditions] },
        { conditions: [{ type: "count", window: "always", per: "card", above: 2 }] },
      ],
      1,
    ),
  ).toEqual({
    isClosed: false,
    blockedMccs: ["0000-5410", "5412-9999"],
    countries: { list: "allowed", codes: ["AT"] },
    blockedPresences: [],
    limits: [{ window: "day", cents: 300n }],
  });
  expect(buildIssuerControls([country("not_in", "DE"), country("in", "DE")], 0).isClosed).toBe(true);
  const once = [
    { conditions: [{ type: "count" as const, window: "always" as const, per: "card" as const, above: 1 }] },
  ];
  expect([0, 1].map((paid) => buildIssuerControls(once, paid).isClosed)).toEqual([false, true]);
});

test("ranges of MCCs are united, and their complement is the rest", () => {
  const codes = fc.integer({ min: 0, max: 9_999 });
  fc.assert(
    fc.property(fc.array(fc.tuple(codes, codes)), codes, (pairs, mcc) => {
      const ranges = unite(pairs.map(([a, b]) => [Math.min(a, b), Math.max(a, b)]));
      const holds = (those: typeof ranges) => those.some(([from, to]) => from <= mcc && mcc <= to);
      expect(holds(ranges)).toBe(pairs.some(([a, b]) => Math.min(a, b) <= mcc && mcc <= Math.max(a, b)));
      expect(holds(complement(ranges))).toBe(!holds(ranges));
      expect(readRanges(formatRanges(ranges))).toEqual(ranges);
    }),
    { numRuns: 300 },
  );
});
