/** Card rules against a small reference interpreter, which shares no code with them. */
import {
  cardChannels,
  type RuleCondition,
  ruleDefinition,
  type RuleDefinition,
  type RuleWindow,
  ruleWindows,
} from "@cardkeep/contract/cards/cardRules";
import type { LiveRule } from "@cardkeep/db/queries/cards/cardRules/liveRules";
import { type CardUse, compileRule } from "@cardkeep/domain/core/cardRules/compileRule";
import {
  evaluateRules,
  findDeclineReason,
  matchRules,
  noHistory,
  planHistory,
} from "@cardkeep/domain/core/cardRules/evaluateRules";
import { listUseParts } from "@cardkeep/domain/core/cardRules/listUseParts";
import { orderRules } from "@cardkeep/domain/core/cardRules/orderRules";
import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import { createReplay } from "@cardkeep/domain/core/cardRules/replayRule";
import { windowStart } from "@cardkeep/domain/core/cardRules/windowStart";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { filled } from "../support/filled.ts";

/** The name of a window by the letters of its instant; weeks are named by their Monday, found day by day. */
function nameWindow(window: RuleWindow, at: number): string {
  const iso = new Date(at).toISOString();
  if (window === "always") return "always";
  if (window === "month") return iso.slice(0, 7);
  if (window === "day") return iso.slice(0, 10);
  if (window === "hour") return iso.slice(0, 13);
  const day = new Date(`${iso.slice(0, 10)}T12:00:00Z`);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

const nameMerchant = ({ merchantNetworkId, merchantName }: CardUse) => merchantNetworkId ?? merchantName;

/** Whether a condition holds; `earlier` are the uses that were approved before. */
function holds(condition: RuleCondition, rule: RuleDefinition, use: CardUse, earlier: readonly CardUse[]): boolean {
  const isMerchant = (value: string) =>
    [use.merchantNetworkId, use.merchantName].some((name) => name?.toLowerCase() === value.toLowerCase());
  switch (condition.type) {
    case "mcc": {
      const isIn = condition.values.some((value) => {
        const [low, high = low] = value.split("-").map(Number);
        return Number(use.mcc) >= Number(low) && Number(use.mcc) <= Number(high);
      });
      return isIn === (condition.operator === "in");
    }
    case "country":
    case "channel":
    case "currency": {
      const isIn = condition.values.some((value) => value === use[condition.type]);
      return isIn === (condition.operator === "in");
    }
    case "merchant":
      return condition.values.some(isMerchant) === (condition.operator === "in");
    case "amount":
      return condition.operator === "above"
        ? Number(use.amountCents) > condition.cents
        : Number(use.amountCents) < condition.cents;
    case "new_merchant":
      return !earlier.some(
        (payment) =>
          (condition.per === "user" || payment.cardId === use.cardId) &&
          payment.amountCents > 0n &&
          nameMerchant(use) !== null &&
          nameMerchant(payment) === nameMerchant(use),
      );
    case "count":
    case "sum": {
      const others = rule.conditions.filter(({ type }) => type !== "count" && type !== "sum");
      const counted = [...earlier, use].filter(
        (payment) =>
          (condition.per === "user" || payment.cardId === use.cardId) &&
          nameWindow(condition.window, payment.at) === nameWindow(condition.window, use.at) &&
          payment.amountCents > 0n &&
          (payment === use || others.every((other) => holds(other, rule, payment, []))),
      );
      const cents = counted.reduce((sum, { amountCents }) => sum + Number(amountCents), 0);
      return condition.type === "count" ? counted.length > condition.above : cents > condition.aboveCents;
    }
  }
}

const edges = [
  "2024-02-29T00:00:00.000Z",
  "2024-03-01T00:00:00.000Z",
  "2026-01-01T00:00:00.000Z",
  "2026-03-29T01:00:00.000Z",
  "2026-06-01T00:00:00.000Z",
  "2026-11-01T00:00:00.000Z",
  "2026-11-23T00:00:00.000Z",
  "2028-02-29T23:00:00.000Z",
  "2100-03-01T00:00:00.000Z",
].map((text) => Date.parse(text));

/** Instants a millisecond before, at and after an edge, or some time from it. */
const instants = fc
  .tuple(
    fc.constantFrom(...edges),
    fc.oneof(
      fc.constantFrom(-1, 0, 1, -3_600_000, 3_600_000, 3_599_999, -86_400_000, 86_399_999, -604_800_000, 604_800_000),
      fc.integer({ min: -40 * 86_400_000, max: 40 * 86_400_000 }),
    ),
  )
  .map(([edge, shift]) => edge + shift);

const merchants = [
  { merchantNetworkId: "100", merchantName: "Kiosk" },
  { merchantNetworkId: "200", merchantName: "Kiosk" },
  { merchantNetworkId: null, merchantName: "Cafe" },
  { merchantNetworkId: null, merchantName: null },
];

/** Often the same in a use and a condition, because bounds are where faults are. */
const cents = fc.oneof(fc.constantFrom(100, 200), fc.integer({ min: 0, max: 300 }));

const uses: fc.Arbitrary<CardUse> = fc
  .record({
    cardId: fc.constantFrom("card-1", "card-2"),
    at: instants,
    amountCents: cents.map(BigInt),
    mcc: fc.constantFrom("5411", "7799", "7800", "7995", "7999", "8000"),
    country: fc.constantFrom("DE", "AT", null),
    channel: fc.constantFrom(...cardChannels, null),
    currency: fc.constantFrom("EUR", "USD"),
    merchant: fc.constantFrom(...merchants),
  })
  .map(({ merchant, ...use }) => ({ ...use, ...merchant }));

const operator = fc.constantFrom("in" as const, "not_in" as const);
const per = fc.constantFrom("card" as const, "user" as const);
const valuesOf = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });

const stillConditions: fc.Arbitrary<RuleCondition> = fc.oneof(
  fc.record({
    type: fc.constant("mcc" as const),
    operator,
    values: valuesOf("5411", "7800-7999", "7995", "7999-8000"),
  }),
  fc.record({ type: fc.constant("country" as const), operator, values: valuesOf("DE", "AT", "FR") }),
  fc.record({ type: fc.constant("channel" as const), operator, values: valuesOf(...cardChannels) }),
  fc.record({ type: fc.constant("currency" as const), operator, values: valuesOf("EUR", "USD") }),
  fc.record({ type: fc.constant("merchant" as const), operator, values: valuesOf("100", "kiosk", "CAFE") }),
  fc.record({
    type: fc.constant("amount" as const),
    operator: fc.constantFrom("above" as const, "below" as const),
    cents,
  }),
);
const windowConditions: fc.Arbitrary<RuleCondition> = fc.oneof(
  fc.record({
    type: fc.constant("count" as const),
    window: fc.constantFrom(...ruleWindows),
    per,
    above: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({
    type: fc.constant("sum" as const),
    window: fc.constantFrom(...ruleWindows),
    per,
    aboveCents: fc.integer({ min: 0, max: 900 }),
  }),
);
const newMerchant: fc.Arbitrary<RuleCondition> = fc.record({ type: fc.constant("new_merchant" as const), per });

const definitions: fc.Arbitrary<RuleDefinition> = fc
  .tuple(
    fc.array(stillConditions, { maxLength: 2 }),
    fc.oneof(fc.array(windowConditions, { maxLength: 2 }), fc.tuple(newMerchant)),
  )
  .map(([still, others]) => ({ conditions: [...still, ...others] }))
  .filter(({ conditions }) => conditions.length > 0);

const rules: fc.Arbitrary<LiveRule[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom("ACTIVE" as const, "SHADOW" as const),
      scope: fc.constantFrom("programme" as const, "partner" as const, "user" as const, "card" as const),
      definition: definitions,
    }),
    { maxLength: 4 },
  )
  .map((given) => given.map((rule, index) => ({ ...rule, ruleId: `rule-${index}`, version: 1, subjectId: null })));

/** The hits of a use, as a decision finds them: with no more of the earlier payments than the plan names. */
function decide(given: readonly LiveRule[], use: CardUse, earlier: readonly CardUse[]) {
  const { hits, pending } = matchRules(orderRules(given.map(compileRule)), use);
  if (findDeclineReason(hits) !== null) return { hits, isApproved: false };
  const plan = planHistory(pending, use.at);
  if (plan === null) return { hits, isApproved: true };
  const payments = earlier.filter(
    ({ at, cardId }) => plan.since !== null && at >= plan.since && (plan.ofUser || cardId === use.cardId),
  );
  const merchant = nameMerchant(use);
  const toMerchant = earlier.filter(
    (payment) => payment.amountCents > 0n && merchant !== null && nameMerchant(payment) === merchant,
  );
  const paidMerchant = {
    card: plan.merchant && toMerchant.some(({ cardId }) => cardId === use.cardId),
    user: plan.merchant && toMerchant.length > 0,
  };
  const all = [...hits, ...evaluateRules(pending, use, { payments, paidMerchant })];
  return { hits: all, isApproved: findDeclineReason(all) === null };
}

test("every decision of a random history is the reference interpreter's, and SHADOW changes none", () => {
  fc.assert(
    fc.property(rules, fc.array(uses, { minLength: 1, maxLength: 14 }), (given, history) => {
      const approved: CardUse[] = [];
      for (const use of filled(history)) {
        const isHit = ({ definition }: LiveRule) =>
          definition.conditions.every((condition) => holds(condition, definition, use, approved));
        const expected = given.filter(isHit);
        const { hits, isApproved } = decide(given, use, approved);
        const active = given.filter(({ state }) => state === "ACTIVE");
        expect(isApproved).toBe(!expected.some(({ state }) => state === "ACTIVE"));
        expect(decide(active, use, approved).isApproved).toBe(isApproved);
        // A use that a rule declines by itself is not compared with earlier payments any more.
        if (isApproved)
          expect(hits.map(({ ruleId }) => ruleId).toSorted()).toEqual(expected.map(({ ruleId }) => ruleId));
        else expect(hits.every(({ ruleId }) => expected.some((rule) => rule.ruleId === ruleId))).toBe(true);
        if (isApproved) approved.push(use);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a replay declines what decisions would have declined, one after the other", () => {
  fc.assert(
    fc.property(definitions, fc.array(uses, { minLength: 1, maxLength: 14 }), (definition, history) => {
      const rule = {
        ruleId: "rule",
        version: 1,
        state: "ACTIVE" as const,
        scope: "user" as const,
        subjectId: null,
        definition,
      };
      const replay = createReplay(definition);
      const approved: CardUse[] = [];
      for (const use of filled(history.toSorted((a, b) => a.at - b.at))) {
        const { isApproved } = decide([rule], use, approved);
        expect(replay.decide({ ...use, spentCents: use.amountCents })).toBe(!isApproved);
        if (isApproved) approved.push(use);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a sum counts each part of a payment at its own instant, as payments of their own would", () => {
  const part = fc.record({ at: instants, amountCents: fc.bigInt(0n, 300n) });
  const raised = fc.tuple(uses, fc.array(part, { maxLength: 3 }));
  const sum = fc.record({
    type: fc.constant("sum" as const),
    window: fc.constantFrom(...ruleWindows),
    per,
    aboveCents: fc.integer({ min: 0, max: 900 }),
  });
  fc.assert(
    fc.property(sum, uses, fc.array(raised, { maxLength: 8 }), (condition, use, history) => {
      const [rule] = [{ conditions: [condition] }].map((definition) =>
        compileRule({ ruleId: "rule", version: 1, state: "ACTIVE", scope: "user", subjectId: null, definition }),
      );
      const hitsOf = (payments: CardUse[]) => evaluateRules(rule ? [rule] : [], use, { ...noHistory, payments });
      const whole = history.map(([first, parts]) => {
        const amountCents = parts.reduce((all, { amountCents: cents }) => all + cents, first.amountCents);
        return { ...first, amountCents, parts };
      });
      const apart = history.flatMap(([first, parts]) => [first, ...parts.map((each) => ({ ...first, ...each }))]);
      expect(hitsOf(whole)).toEqual(hitsOf(apart));
    }),
    { numRuns: 1_000 },
  );
});

test("what stands of increments is no more than stands of their payment, and the newest ones are reversed first", () => {
  const amount = fc.bigInt(0n, 300n);
  fc.assert(
    fc.property(amount, amount, fc.array(amount, { maxLength: 4 }), (first, spentCents, raises) => {
      const raised = raises.reduce((sum, cents) => sum + cents, 0n);
      const increments = raises.map((amountCents, at) => ({ at, amountCents }));
      const parts = listUseParts({ authorizedCents: first + raised, spentCents }, increments);
      const standing = parts.reduce((sum, { amountCents }) => sum + amountCents, 0n);
      const above = spentCents > first ? spentCents - first : 0n;
      expect(standing).toBe(above < raised ? above : raised);
      // All but the last one that stands are whole.
      const wrong = parts.slice(0, -1).filter(({ at, amountCents }) => increments[at]?.amountCents !== amountCents);
      expect(wrong).toEqual([]);
    }),
  );
});

test("a window begins at its first millisecond and ends before the next one's", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ruleWindows), instants, instants, (window, one, other) => {
      const isSame = windowStart(window, one) === windowStart(window, other);
      expect(isSame).toBe(nameWindow(window, one) === nameWindow(window, other));
      const start = windowStart(window, one);
      if (window !== "always") expect(windowStart(window, start)).toBe(start);
      expect(start <= one).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

describe("a definition", () => {
  const isValid = (...conditions: unknown[]) => ruleDefinition.safeParse({ conditions }).success;
  test("has conditions, ascending ranges, and no windows beside new merchants", () => {
    const count = { type: "count", window: "day", per: "card", above: 1 };
    const mcc = (...values: string[]) => ({ type: "mcc", operator: "in", values });
    expect(isValid(count)).toBe(true);
    expect(isValid(mcc("7800-7999", "5411"))).toBe(true);
    expect(isValid()).toBe(false);
    expect(isValid(mcc())).toBe(false);
    expect(isValid(mcc("7999-7800"))).toBe(false);
    expect(isValid(mcc("78"))).toBe(false);
    expect(isValid(count, { type: "new_merchant", per: "user" })).toBe(false);
    expect(isValid({ ...count, above: -1 })).toBe(false);
    expect(isValid({ ...count, window: "year" })).toBe(false);
  });
});

test("a rule is described in a sentence", () => {
  const describe = (...conditions: RuleCondition[]) => describeRule({ conditions });
  expect(
    describe(
      { type: "channel", operator: "in", values: ["cash_machine"] },
      { type: "sum", window: "day", per: "card", aboveCents: 5_000 },
    ),
  ).toBe("Declines payments at a cash machine, as soon as such payments of the card are more than 50.00 in a day.");
  expect(
    describe(
      { type: "mcc", operator: "in", values: ["7995", "7800-7999"] },
      { type: "country", operator: "not_in", values: ["DE", "AT"] },
      { type: "amount", operator: "above", cents: 1_050 },
    ),
  ).toBe("Declines payments in the merchant categories 7995 or 7800 to 7999, outside of DE or AT, of more than 10.50.");
  fc.assert(
    fc.property(definitions, (definition) => {
      expect(describeRule(definition)).toMatch(/^Declines payments.+[.]$/);
    }),
    { numRuns: 200 },
  );
});
