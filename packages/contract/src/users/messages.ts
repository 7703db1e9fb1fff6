/**
 * Mails and text messages to people: their language, and which of them a person gets.
 *
 * - kind: what a message is about. A person chooses a way for each. - way: how it is sent, or `none`.
 * Messages about codes, changed contact details and disputes are not a choice: each of them protects the account. Neither are
 * those about who signs in, although their kind has a choice. No bound of text messages by choice counts them.
 */
import { keysOf } from "../core/keysOf.ts";
import { z } from "zod";
import { defineRoute } from "../core/route.ts";

export const messageWays = ["none", "mail", "sms"] as const;
export type MessageWay = (typeof messageWays)[number];

/** Every kind, with what it is about and the way of a person who chose none. */
export const messageKinds = {
  payments: { means: "A card payment was approved", way: "none" },
  declines: { means: "A card payment was declined, with the reason", way: "mail" },
  refunds: { means: "A merchant refunded money, a payment was reversed, or the operator returned money", way: "mail" },
  signIns: {
    means:
      "A wallet signed in for the first time or was removed, or a token for programs was made. It protects the account, so it comes by mail, and by text to a validated number, with every choice",
    way: "mail",
  },
  withdrawals: { means: "A withdrawal was queued, executed, or failed", way: "mail" },
  cards: { means: "A card was shipped or delivered, or could not be", way: "mail" },
} as const satisfies Readonly<Record<string, { means: string; way: MessageWay }>>;
export type MessageKind = keyof typeof messageKinds;
export type MessageChoices = Readonly<Record<MessageKind, MessageWay>>;

// The keys of a literal are exactly those of its type.
export const messageKindNames = keysOf(messageKinds);

/** The choices of a person who made none. */
export const defaultMessageChoices = Object.fromEntries(
  messageKindNames.map((kind) => [kind, messageKinds[kind].way]),
) as MessageChoices;

/** ISO 639-1, as language files are named. */
const languageCode = z
  .string()
  .regex(/^[a-z]{2}$/, "language must be two lower-case letters")
  .meta({ description: "Language of mails, messages and pages, ISO 639-1: `en`, `de`, `es`", examples: ["de"] });

const failure = { style: "message", text: "Internal server error" } as const;

export const getLanguage = defineRoute({
  method: "GET",
  path: "/user/language",
  summary: "The language of the user's mails, messages and pages",
  access: "user",
  output: z.object({ language: languageCode }),
  errors: [],
  errorStyle: "message",
  failure,
});

export const setLanguage = defineRoute({
  method: "PUT",
  path: "/user/language",
  summary:
    "Sets the language of the user's mails, messages and pages. Before, it is that of the sign-up's `Accept-Language`",
  access: "user",
  input: z.object({ language: languageCode }),
  output: z.object({ language: languageCode }),
  errors: ["request.invalid", "users.unknown_language"],
  errorStyle: "message",
  failure,
});

const choiceOf = (kind: MessageKind) =>
  z.enum(messageWays).meta({
    description: `${messageKinds[kind].means}. Without a choice: \`${messageKinds[kind].way}\``,
    examples: [messageKinds[kind].way],
  });

const choices = z
  .object({
    payments: choiceOf("payments"),
    declines: choiceOf("declines"),
    refunds: choiceOf("refunds"),
    signIns: choiceOf("signIns"),
    withdrawals: choiceOf("withdrawals"),
    cards: choiceOf("cards"),
  })
  .meta({
    id: "MessageChoices",
    description: "How the user gets each kind of message: by mail, by text message, or not",
  });

export const getMessages = defineRoute({
  method: "GET",
  path: "/user/messages",
  summary: "Which messages the user gets, and how",
  access: "user",
  output: choices,
  errors: [],
  errorStyle: "message",
  failure,
});

export const setMessages = defineRoute({
  method: "PUT",
  path: "/user/messages",
  summary:
    "Chooses how the user gets kinds of messages; a kind that is left out stays as it is. Beyond 20 text messages a day, and without a validated phone number, they come by mail",
  access: "user",
  input: choices.partial(),
  output: choices,
  errors: ["request.invalid"],
  errorStyle: "message",
  failure,
});
