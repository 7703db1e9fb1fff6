/**
 * Cards, physical and virtual.
 *
 * - card token: names a card towards the issuer and in card transactions; not a secret, and never the number on it.
 * - status code: the card's state in the words of card networks. - activated: a physical card that arrived; a virtual
 *   one is from its beginning. - shipping: where a physical card is on its way, apart from its status.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { givenId, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const cardMachine = defineMachine({
  name: "Card.statusCode",
  initial: "1000",
  states: {
    "1000": { means: "Active; a physical card spends once it is activated" },
    "1005": { means: "Frozen by its user; declines until it is unfrozen" },
    "1009": { means: "Void: given up for good" },
    "1041": { means: "Reported lost; declines for good" },
    "1043": { means: "Reported stolen; declines for good" },
    "1054": { means: "Expired" },
    "1062": { means: "Restricted after a report of fraud" },
  },
  transitions: [
    { from: "1000", to: "1005", when: "freeze" },
    { from: "1005", to: "1000", when: "unfreeze" },
    { from: "1000", to: "1062", when: "a transaction is disputed as fraud" },
    { from: "1005", to: "1062", when: "a transaction is disputed as fraud" },
    { from: "1062", to: "1000", when: "the operator lifts the restriction", by: "operator" },
    { from: "1000", to: "1054", when: "its last month is over" },
    { from: "1005", to: "1054", when: "its last month is over" },
    { from: "1062", to: "1054", when: "its last month is over" },
    { from: "any", to: "1041", when: "reported lost" },
    { from: "any", to: "1043", when: "reported stolen" },
    { from: "any", to: "1009", when: "void, for a virtual card; or the issuer cancelled it" },
  ],
});
export type CardStatus = StateOf<typeof cardMachine>;

/** What each status code is called. Source: the published list of card status codes. */
export const cardStatusNames: Readonly<Record<CardStatus, string>> = {
  "1000": "Active",
  "1005": "Declined",
  "1009": "Void",
  "1041": "Lost",
  "1043": "Stolen",
  "1054": "Expired",
  "1062": "Restricted",
};

/** States that nothing leads out of to where a card spends again; they do not count as active cards. */
export const endedCardStatuses: readonly CardStatus[] = ["1009", "1041", "1043", "1054"];

/** What a card is at the issuer: it spends, it does not for now, it never will again. */
export const issuerStatuses = ["active", "inactive", "canceled"] as const;
export type IssuerStatus = (typeof issuerStatuses)[number];

export const shippingStatuses = ["ordered", "shipped", "delivered", "failed", "returned", "cancelled"] as const;
export type ShippingStatus = (typeof shippingStatuses)[number];

export const cardToken = z.string().meta({
  description: "Names the card towards the issuer and in transactions; not its number, and no secret",
  examples: ["ic_1a2b3c4d5e6f708192a3b4c5"],
});

const statusCode = z
  .int()
  .meta({ description: "Status code of card networks, 1000 for an active card", examples: [1000] });

export const cardFields = {
  id: id.meta({ description: "The card's id" }),
  cardToken,
  lastFourDigits: z.string().meta({ description: "Last four digits of its number", examples: ["4242"] }),
  activatedAt: instant.nullable().meta({ description: "When it was activated; null before" }),
  virtual: z.boolean().meta({ description: "Whether it is a virtual card", examples: [true] }),
};

export const cardSummary = z.object(cardFields).meta({ id: "CardSummary", description: "A card of a user" });

export const cardStateFields = {
  ...cardFields,
  statusCode,
  statusName: z.string().meta({ description: "What the status code is called", examples: ["Active"] }),
};

export const cardResource = z.object(cardStateFields).meta({ id: "Card", description: "A card with its status" });

const cards = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

const cardId = givenId.meta({ description: "The card's id" });
const moved = <const T extends string>(text: T) =>
  z.object({ status: z.literal(text).meta({ description: "What was done, in words" }) });
const flag = (description: string) => z.boolean().meta({ description, examples: [false] });

export const list = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards",
  summary: "The user's cards, newest first",
  input: z.object({
    exclude_voided: z
      .union([z.boolean(), z.enum(["true", "false"])])
      .optional()
      .meta({ description: "Leaves void cards out", examples: ["true"] }),
    // A code that no card can have is no fault: it finds no card.
    status_code: (z.string() as z.ZodType<string, CardStatus>)
      .optional()
      .meta({ description: "Only cards with this status code", enum: listStates(cardMachine), examples: ["1000"] }),
  }),
  output: z.array(cardResource),
  errors: ["request.invalid", "auth.unauthorized"],
});

export const status = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards/{cardId}/status",
  summary: "What one card may do now",
  input: z.object({ cardId }),
  output: z.object({
    activatedAt: instant.optional().meta({ description: "When it was activated; absent before" }),
    statusCode,
    isFrozen: flag("Whether its user froze it"),
    isStolen: flag("Whether it was reported as stolen"),
    isLost: flag("Whether it was reported as lost"),
    isBlocked: flag("Whether the issuer blocks it"),
    isVoid: flag("Whether it is void"),
  }),
  errors: ["auth.unauthorized", "cards.not_found"],
});

/** What a person lacks for a card. */
export const eligibilityErrors = [
  "cards.too_many",
  "cards.kyc_required",
  "cards.source_of_funds_required",
  "cards.risk_incompatible",
  "cards.phone_required",
  "cards.name_missing",
  "cards.name_invalid",
  "cards.address_missing",
  "cards.unsupported_country",
  "cards.safe_misconfigured",
] as const;

export const createVirtual = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/virtual",
  summary: "Issues a virtual card, free and active at once",
  status: 201,
  output: z.object({ cardId: id.meta({ description: "The card's id" }) }),
  errors: ["auth.unauthorized", "safes.not_found", "cards.in_progress", "cards.issuer_refused", ...eligibilityErrors],
});

export const activate = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/activate",
  summary: "Activates a physical card that arrived",
  input: z.object({ cardId }),
  output: moved("Card activated successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.already_activated", "cards.blocked", "cards.safe_missing"],
});

export const freeze = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/freeze",
  summary: "Has an active card decline until it is unfrozen",
  input: z.object({ cardId }),
  output: moved("Card frozen successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.wrong_status"],
});

export const unfreeze = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/unfreeze",
  summary: "Has a frozen card spend again",
  input: z.object({ cardId }),
  output: moved("Card unfrozen successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.wrong_status", "cards.not_activated"],
});

export const markLost = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/lost",
  summary: "Ends a card that was lost, for good",
  input: z.object({ cardId }),
  output: moved("Card marked as lost successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.already_lost"],
});

export const markStolen = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/stolen",
  summary: "Ends a card that was stolen, for good",
  input: z.object({ cardId }),
  output: moved("Card marked as stolen successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.already_stolen"],
});

export const voidCard = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/void",
  summary: "Gives up a virtual card for good",
  input: z.object({ cardId }),
  output: moved("Card marked as void successfully"),
  errors: ["auth.unauthorized", "cards.not_found", "cards.not_virtual", "cards.already_void"],
});

/** Far above what a 4096-bit key makes. */
const encryptedLengthMax = 2_048;
export const encrypted = (description: string, example = "q83vEjRWeJCrze8SNFZ4kA==") =>
  z
    .string()
    .min(1)
    .max(encryptedLengthMax)
    .meta({ description, examples: [example] });

/** What a client encrypts for the worker alone. */
export const envelopeFields = {
  encryptedKey: encrypted(
    "RSA-OAEP (SHA-1) over the UTF-8 bytes of the base64 text of a random 32-byte key, in base64; the public key is at /user/card-public-key",
  ),
  iv: encrypted("16 characters of base64 that stand for the 12 bytes of the AES-GCM nonce", "Y2Fya2tlZXAtaXYx"),
};

export const verify = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/verify",
  summary: "Finds the user's physical card by its number, which travels encrypted and is not kept",
  input: z.object({
    encryptedPan: encrypted("AES-256-GCM ciphertext and tag of the card number's digits, in base64"),
    ...envelopeFields,
  }),
  output: z.object({ cardId: id.meta({ description: "The physical card's id" }) }),
  errors: ["request.malformed", "auth.unauthorized", "cards.unreadable", "cards.not_found", "cards.void"],
  deprecated: { successor: null },
  failure: { style: "message", text: "Internal server error" },
});

export const publicKey = defineRoute({
  ...cards,
  method: "GET",
  path: "/user/card-public-key",
  summary: "The key with which clients encrypt card numbers and PINs: RSA, SPKI DER in base64",
  output: z.object({
    publicKey: z
      .string()
      .meta({ description: "RSA public key, SPKI DER in base64", examples: ["MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"] }),
  }),
  errors: ["auth.unauthorized", "cards.country_missing"],
  deprecated: { successor: null },
  failure: { style: "message", text: "Internal server error" },
});
