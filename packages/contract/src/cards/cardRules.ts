/**
 * Card rules: when a use of a card is declined.
 *
 * - rule: belongs to the programme, a partner's users, a user or a card. Its versions hold the definitions.
 * - definition: conditions. The rule declines a use of a card if all of them hold.
 * - window: a calendar period of UTC by the service's clock. It begins at its first instant and ends before that of the next.
 */
import { z } from "zod";

/** Whose uses of cards a rule decides about: everybody's, those of a partner's users, of a user, or of a card. */
export const ruleScopes = ["programme", "partner", "user", "card"] as const;
export type RuleScope = (typeof ruleScopes)[number];

/** Who made a rule, and alone may change it. */
export const ruleOwners = ["operator", "partner", "user"] as const;
export type RuleOwner = (typeof ruleOwners)[number];

/** `SHADOW`: what it would decline is recorded and nothing else. At most one version of a rule is in each of the first two. */
export const ruleStates = ["ACTIVE", "SHADOW", "INACTIVE"] as const;
export type RuleState = (typeof ruleStates)[number];

/** How a card is used. Cash machines are a channel of their own, with each way to read the card. */
export const cardChannels = ["online", "chip", "contactless", "magstripe", "cash_machine", "keyed"] as const;
export type CardChannel = (typeof cardChannels)[number];

/** Weeks begin on Monday. `always` has no beginning: it reaches back as far as payments are kept in the database. */
export const ruleWindows = ["hour", "day", "week", "month", "always"] as const;
export type RuleWindow = (typeof ruleWindows)[number];

const conditionsMax = 20;
const valuesMax = 500;
const centsMax = 1_000_000_000_000;

const operator = z.enum(["in", "not_in"]).meta({
  description:
    "`in` holds for a value of the list. `not_in` holds for every other value, and where the issuer sends none",
  examples: ["in"],
});
const per = z.enum(["card", "user"]).meta({
  description: "Whose payments are counted: those of this card, or of all cards of its user",
  examples: ["card"],
});
const window = z.enum(ruleWindows).meta({
  description: "Calendar period of UTC; weeks begin on Monday",
  examples: ["day"],
});
const typeField = { description: "Kind of condition" };

const listOf = <T extends string>(value: z.ZodType<T, T>, what: string, examples: string[]) =>
  z
    .array(value)
    .min(1)
    .max(valuesMax)
    .meta({ description: what, examples: [examples] });

const mccPattern = /^\d{4}(-\d{4})?$/;
const isRangeAscending = (text: string): boolean => {
  const [low = "", high = low] = text.split("-");
  return low <= high;
};
/** An MCC, or a range of MCCs with both ends. */
export const mccOrRange = z
  .string()
  .regex(mccPattern, "A merchant category is four digits, or a range such as 7800-7999")
  .refine(isRangeAscending, "A range of merchant categories begins with the lower one");

/** One condition of a rule. */
export const ruleCondition = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("mcc").meta(typeField),
      operator,
      values: listOf(mccOrRange, "Merchant categories of ISO 18245, or ranges of them", ["7995", "7800-7999"]),
    }),
    z.object({
      type: z.literal("country").meta(typeField),
      operator,
      values: listOf(
        z.string().regex(/^[A-Z]{2}$/, "A country is two capital letters"),
        "Countries of merchants, ISO 3166-1 alpha-2",
        ["DE", "AT"],
      ),
    }),
    z.object({
      type: z.literal("channel").meta(typeField),
      operator,
      values: listOf(z.enum(cardChannels), "How the card is used", ["cash_machine"]),
    }),
    z.object({
      type: z.literal("currency").meta(typeField),
      operator,
      values: listOf(
        z.string().regex(/^[A-Z]{3}$/, "A currency is three capital letters"),
        "Currencies of merchants, ISO 4217",
        ["EUR"],
      ),
    }),
    z.object({
      type: z.literal("merchant").meta(typeField),
      operator,
      values: listOf(
        z.string().trim().min(1).max(255),
        "Merchants: their ids in the card network, or their names in any letter case",
        ["4722913"],
      ),
    }),
    z.object({
      type: z.literal("amount").meta(typeField),
      operator: z.enum(["above", "below"]).meta({ description: "Which amounts it holds for", examples: ["above"] }),
      cents: z
        .int()
        .min(0)
        .max(centsMax)
        .meta({ description: "Amount in hundredths of the card's currency", examples: [10000] }),
    }),
    z.object({
      type: z.literal("new_merchant").meta({ description: "Holds where no earlier payment went to the merchant" }),
      per,
    }),
    z.object({
      type: z.literal("count").meta(typeField),
      window,
      per,
      above: z
        .int()
        .min(0)
        .max(1_000_000)
        .meta({ description: "It holds if this use makes the number of payments larger than this", examples: [5] }),
    }),
    z.object({
      type: z.literal("sum").meta(typeField),
      window,
      per,
      aboveCents: z
        .int()
        .min(0)
        .max(centsMax)
        .meta({
          description: "It holds if this use makes the sum of payments larger, in hundredths of the card's currency",
          examples: [5000],
        }),
    }),
  ])
  .meta({ id: "CardRuleCondition", description: "One condition of a card rule" });
export type RuleCondition = z.output<typeof ruleCondition>;

/** A condition that reads the window's earlier payments. */
export type WindowCondition = Extract<RuleCondition, { type: "count" | "sum" }>;

export const isWindowCondition = (condition: RuleCondition): condition is WindowCondition =>
  condition.type === "count" || condition.type === "sum";

/** What a version of a rule says. Earlier payments count if they meet its other conditions, and by what was not reversed. */
export const ruleDefinition = z
  .object({
    conditions: z.array(ruleCondition).min(1).max(conditionsMax).meta({ description: "All of them have to hold" }),
  })
  .refine(
    ({ conditions }) => !(conditions.some(({ type }) => type === "new_merchant") && conditions.some(isWindowCondition)),
    "A rule about new merchants has no count and no sum",
  )
  .meta({ id: "CardRuleDefinition", description: "When a card rule declines" });
export type RuleDefinition = z.output<typeof ruleDefinition>;

/** The name of a rule, for people. */
export const cardRuleName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .meta({ description: "A name for people", examples: ["No cash machines"] });
