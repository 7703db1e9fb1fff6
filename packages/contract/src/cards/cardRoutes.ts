/** The routes of a person's cards: list, issue, activate, freeze, end. */
import { z } from "zod";
import { cardMachine, cardResource, type CardStatus, issuerStatuses, statusCode } from "./cards.ts";
import { listStates } from "../core/machine.ts";
import { givenId, id, instant } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

/** Settings that all routes of cards share. */
export const cards = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

const cardId = givenId.meta({ description: "The card's id, from `GET /cards`" });
const flag = (description: string) => z.boolean().meta({ description, examples: [false] });

const pendingFields = {
  pending: z
    .literal(true)
    .optional()
    .meta({ description: "Present while the card issuer has not confirmed the card's status", examples: [true] }),
  pendingText: z
    .string()
    .optional()
    .meta({
      description: "With `pending`: what follows from it, as a sentence",
      examples: ["The card issuer has not confirmed yet that the card is active. Payments may decline until then."],
    }),
};
const moved = <const T extends string>(text: T) =>
  z.object({ status: z.literal(text).meta({ description: "The result, in words" }), ...pendingFields });

export const list = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards",
  summary: "The user's cards, newest first",
  input: z.object({
    exclude_voided: z
      .union([z.boolean(), z.enum(["true", "false"])])
      .optional()
      .meta({ description: "Excludes void cards", examples: ["true"] }),
    // A code that no card can have is not an error: it finds no card.
    status_code: (z.string() as z.ZodType<string, CardStatus>)
      .optional()
      .meta({ description: "Only cards with this status code", enum: listStates(cardMachine), examples: ["1000"] }),
  }),
  output: z.array(cardResource),
  errors: ["request.invalid"],
});

export const status = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards/{cardId}/status",
  summary: "The present status of one card",
  input: z.object({ cardId }),
  output: z.object({
    activatedAt: instant.optional().meta({ description: "When it was activated; absent before" }),
    statusCode,
    isFrozen: flag("Whether its user froze it"),
    isStolen: flag("Whether it was reported as stolen"),
    isLost: flag("Whether it was reported as lost"),
    isBlocked: flag("Whether the issuer blocks it"),
    isVoid: flag("Whether it is void"),
    ...pendingFields,
    pendingStatus: z
      .enum(issuerStatuses)
      .optional()
      .meta({ description: "With `pending`: the status that the card issuer shall have", examples: ["active"] }),
  }),
  errors: ["cards.not_found"],
});

/** Requirements for a card that a person may lack. */
export const eligibilityErrors = [
  "cards.too_many",
  "cards.kyc_required",
  "cards.source_of_funds_required",
  "cards.risk_incompatible",
  "cards.phone_required",
  "cards.contact_changed",
  "cards.name_missing",
  "cards.name_invalid",
  "cards.address_missing",
  "cards.unsupported_country",
  "cards.terms_required",
  "cards.safe_misconfigured",
] as const;

export const createVirtual = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/virtual",
  summary: "Issues a virtual card, free and active at once",
  status: 201,
  output: z.object({ cardId: id.meta({ description: "The card's id" }) }),
  errors: [
    "safes.not_found",
    "cards.in_progress",
    "cards.issuer_refused",
    "cards.issuer_unavailable",
    "orders.stopped",
    ...eligibilityErrors,
  ],
});

export const activate = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/activate",
  summary: "Activates a physical card after its delivery",
  input: z.object({ cardId }),
  output: moved("Card activated successfully"),
  errors: ["cards.not_found", "cards.already_activated", "cards.blocked", "cards.safe_missing"],
});

export const freeze = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/freeze",
  summary: "Freezes an active card: it declines until it is unfrozen",
  input: z.object({ cardId }),
  output: moved("Card frozen successfully"),
  errors: ["cards.not_found", "cards.wrong_status"],
});

export const unfreeze = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/unfreeze",
  summary: "Unfreezes a card: it can spend again",
  input: z.object({ cardId }),
  output: moved("Card unfrozen successfully"),
  errors: ["cards.not_found", "cards.wrong_status", "cards.not_activated"],
});

export const markLost = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/lost",
  summary: "Ends a lost card permanently",
  input: z.object({ cardId }),
  output: moved("Card marked as lost successfully"),
  errors: ["cards.not_found", "cards.already_lost"],
});

export const markStolen = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/stolen",
  summary: "Ends a stolen card permanently",
  input: z.object({ cardId }),
  output: moved("Card marked as stolen successfully"),
  errors: ["cards.not_found", "cards.already_stolen"],
});

export const voidCard = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/void",
  summary: "Voids a virtual card permanently",
  input: z.object({ cardId }),
  output: moved("Card marked as void successfully"),
  errors: ["cards.not_found", "cards.not_virtual", "cards.already_void"],
});
