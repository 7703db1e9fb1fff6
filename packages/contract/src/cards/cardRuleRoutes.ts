/** Card rules of a partner, with its API key: about all of its users, one of them, or one of their cards. */
import { z } from "zod";
import { cardRuleName, ruleDefinition, ruleStates } from "./cardRules.ts";
import { givenId, id, instant, omitNull, wholeNumber } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const partners = { access: "partner", scope: "rules", errorStyle: "error", unauthorizedStyle: "message" } as const;

const ruleId = givenId.meta({ description: "The rule's id, from `GET /partners/card-rules`" });
const version = z
  .codec(z.string().regex(/^[1-9][0-9]{0,8}$/, "version must be a whole number of at least 1"), z.int(), {
    decode: Number,
    encode: String,
  })
  .meta({ description: "Number of a version, as `version` in `GET /partners/card-rules/{ruleId}`", examples: ["1"] });
const state = z.enum(ruleStates).meta({
  description: "`ACTIVE` declines, `SHADOW` records what it would decline and nothing else, `INACTIVE` does nothing",
  examples: ["SHADOW"],
});
const scope = z.enum(["partner", "user", "card"]).meta({
  description: "Whose payments it decides about: those of all the partner's users, of a user, or of a card",
  examples: ["partner"],
});
const cents = z
  .codec(z.int(), z.bigint(), { decode: BigInt, encode: Number })
  .meta({ description: "Amount in hundredths of the currency", examples: [2550] });
const currency = z.string().meta({ description: "The card's currency", examples: ["EUR"] });

const ruleVersion = z
  .object({
    version: z.int().meta({ description: "1, 2, 3 and so on", examples: [1] }),
    state,
    definition: z.record(z.string(), z.unknown()).meta({
      description: "The definition, as it was sent",
      examples: [{ conditions: [{ type: "channel", operator: "in", values: ["cash_machine"] }] }],
    }),
    description: z
      .string()
      .meta({ description: "The definition in words", examples: ["Declines payments at a cash machine."] }),
    createdAt: instant.meta({ description: "When it was added" }),
    stateAt: instant.meta({ description: "When its state changed last" }),
  })
  .meta({ id: "CardRuleVersion", description: "A version of a card rule" });

const rule = z
  .object({
    id: id.meta({ description: "The rule's id" }),
    scope,
    subjectId: omitNull(id).meta({ description: "The user or card that it is about; absent for all users" }),
    name: z.string().meta({ description: "A name for people", examples: ["No cash machines"] }),
    versions: z.array(ruleVersion).meta({ description: "Oldest first" }),
    createdAt: instant.meta({ description: "When it was made" }),
  })
  .meta({ id: "CardRule", description: "A card rule with its versions" });

export const rules = defineRoute({
  ...partners,
  method: "GET",
  path: "/partners/card-rules",
  summary: "The partner's card rules, newest first",
  input: z.object({
    after: givenId.optional().meta({ description: "Id of the last rule of the page before" }),
    limit: wholeNumber("limit", 1)
      .optional()
      .meta({ description: "50 by default, at most 200", examples: ["50"] }),
  }),
  output: z.object({ rules: z.array(rule).meta({ description: "The rules" }) }),
  errors: ["request.invalid"],
});

export const createRule = defineRoute({
  ...partners,
  method: "POST",
  path: "/partners/card-rules",
  summary: "Makes a card rule about the partner's users, one of them, or one of their cards; its version is `INACTIVE`",
  status: 201,
  input: z.object({
    scope,
    subjectId: givenId.optional().meta({ description: "The user or card; absent for all the partner's users" }),
    name: cardRuleName,
    definition: ruleDefinition,
  }),
  output: rule,
  errors: ["request.invalid", "rules.subject_not_found", "rules.too_many"],
});

export const getRule = defineRoute({
  ...partners,
  method: "GET",
  path: "/partners/card-rules/{ruleId}",
  summary: "One of the partner's card rules",
  input: z.object({ ruleId }),
  output: rule,
  errors: ["rules.not_found"],
});

export const addRuleVersion = defineRoute({
  ...partners,
  method: "POST",
  path: "/partners/card-rules/{ruleId}/versions",
  summary: "Adds a version to a card rule, in `INACTIVE`",
  status: 201,
  input: z.object({ ruleId, definition: ruleDefinition }),
  output: rule,
  errors: ["request.invalid", "rules.not_found", "rules.too_many_versions"],
});

export const setRuleState = defineRoute({
  ...partners,
  method: "POST",
  path: "/partners/card-rules/{ruleId}/versions/{version}/state",
  summary: "Brings a version to a state; the version that was in `ACTIVE` or `SHADOW` becomes `INACTIVE`",
  input: z.object({ ruleId, version, state }),
  output: rule,
  errors: ["request.invalid", "rules.not_found"],
});

export const deleteRule = defineRoute({
  ...partners,
  method: "DELETE",
  path: "/partners/card-rules/{ruleId}",
  summary: "Deletes one of the partner's card rules with its versions; what it declined stays with the payments",
  input: z.object({ ruleId }),
  output: z.object({ id: id.meta({ description: "The rule's id" }) }),
  errors: ["rules.not_found"],
});

export const backtestRule = defineRoute({
  ...partners,
  method: "POST",
  path: "/partners/card-rules/{ruleId}/versions/{version}/backtest",
  summary:
    "Plays a version over the approved payments of the last days, of users who are subscribed: how many it would have declined",
  input: z.object({
    ruleId,
    version,
    days: z
      .int()
      .min(1)
      .max(90)
      .optional()
      .meta({ description: "Days to look back; 30 by default", examples: [30] }),
  }),
  output: z
    .object({
      since: instant.meta({ description: "Beginning of the examined time" }),
      until: instant.meta({ description: "Its end" }),
      isComplete: z.boolean().meta({
        description: "False where the time of the request ended first: the figures are of a part of the users",
      }),
      payments: z.int().meta({ description: "Approved payments of that time", examples: [120] }),
      declined: z.int().meta({ description: "How many of them the version would have declined", examples: [3] }),
      declinedAmounts: z
        .array(z.object({ currency, cents }).meta({ description: "An amount" }))
        .meta({ description: "What they come to, by currency" }),
      reason: z.string().meta({ description: "Code of the decline", examples: ["channel_blocked"] }),
      samples: z
        .array(
          z.object({
            paymentId: id.meta({ description: "The payment's id" }),
            userId: id.meta({ description: "Its user" }),
            cardId: id.meta({ description: "Its card" }),
            amount: cents,
            currency,
            mcc: z.string().meta({ description: "The merchant's category, ISO 18245", examples: ["6011"] }),
            createdAt: instant.meta({ description: "When it was made" }),
          }),
        )
        .meta({ description: "The newest of them, of users whose events the partner receives" }),
    })
    .meta({ description: "The result" }),
  errors: ["request.invalid", "rules.not_found", "rules.not_subscribed"],
});
