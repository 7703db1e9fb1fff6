/**
 * Card money: payments and what follows them.
 *
 * - thread: all events of one use of a card; its id is the issuer's.
 * - payment: a thread's authorization.
 * - clearing: the merchant's capture, for less, for more, or in several parts.
 * - reversal: a cancelled authorization, in whole or in part.
 * - refund: money that a merchant returns.
 * - transfer: the movement of the money on chain.
 */
import { z } from "zod";
import { cardEvent } from "./cardEvents.ts";
import { disputeReasonKeys } from "./disputes.ts";
import { defineMachine, type StateOf } from "./machine.ts";
import { givenId, line } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const paymentMachine = defineMachine({
  name: "CardPayment.status",
  initial: "REQUESTED",
  states: {
    REQUESTED: { means: "Reported by the issuer; not decided yet" },
    DECLINED: { means: "Declined, by the service or by the issuer" },
    AUTHORIZED: { means: "Approved: its amount is held, and moves to the settlement account" },
    REVERSED: { means: "Reversed by the merchant before it was cleared; the money is returned" },
    EXPIRED: { means: "Never cleared; the money is returned" },
    CLEARED: { means: "Captured by the merchant; refunds may follow", isFinal: true },
    CREDITED: { means: "A refund without a payment", isFinal: true },
  },
  transitions: [
    { from: "REQUESTED", to: "AUTHORIZED", when: "card, balance and allowance permit it" },
    { from: "REQUESTED", to: "DECLINED", when: "one of them does not, or the issuer declines" },
    { from: "REQUESTED", to: "CLEARED", when: "it is cleared without an authorization" },
    { from: "REQUESTED", to: "REVERSED", when: "the issuer reports it only when it is reversed" },
    { from: "REQUESTED", to: "EXPIRED", when: "the issuer reports it only when it has expired" },
    { from: "REQUESTED", to: "CREDITED", when: "a refund without a payment" },
    { from: "AUTHORIZED", to: "CLEARED", when: "its clearing, or the last of several" },
    { from: "AUTHORIZED", to: "REVERSED", when: "the merchant reverses it" },
    { from: "AUTHORIZED", to: "EXPIRED", when: "the merchant did not capture it in time" },
    { from: "AUTHORIZED", to: "DECLINED", when: "our approval came too late for the issuer" },
    { from: "DECLINED", to: "AUTHORIZED", when: "the issuer approved it without us" },
    { from: "DECLINED", to: "CLEARED", when: "it is cleared nevertheless" },
    { from: "REVERSED", to: "CLEARED", when: "it is cleared nevertheless" },
    { from: "EXPIRED", to: "CLEARED", when: "it is cleared nevertheless" },
  ],
});
export type PaymentStatus = StateOf<typeof paymentMachine>;

export const transferMachine = defineMachine({
  name: "CardTransfer.status",
  initial: "PLANNED",
  states: {
    PLANNED: { means: "Not signed yet; waits for earlier transfers of its thread" },
    SIGNED: { means: "Sent to the chain" },
    DONE: { means: "On chain", isFinal: true },
    FAILED: { means: "The chain rejected it, or it ran and moved no money", isFinal: true },
  },
  transitions: [
    { from: "PLANNED", to: "SIGNED", when: "the spender signed it, and a relayer's transaction" },
    { from: "PLANNED", to: "DONE", when: "it is already on chain" },
    { from: "PLANNED", to: "FAILED", when: "the chain rejects it, or it ran and moved no money" },
    { from: "SIGNED", to: "DONE", when: "mined, with the token's transfer" },
    { from: "SIGNED", to: "FAILED", when: "mined, and reverted or without the token's transfer" },
    {
      from: "SIGNED",
      to: "PLANNED",
      when: "a return reverted and is still owed, or another transaction used its nonce",
    },
  ],
  undone: [
    { from: "DONE", to: "PLANNED", when: "its block was removed, and none of our transactions was in it" },
    { from: "FAILED", to: "PLANNED", when: "the block of its rejection was removed" },
    { from: "DONE", to: "SIGNED", when: "its block was removed" },
    { from: "FAILED", to: "SIGNED", when: "its block was removed" },
  ],
});
export type TransferStatus = StateOf<typeof transferMachine>;

const wholeNumber = (field: string, min: number) => {
  const message = `${field} must be a whole number of at least ${min}`;
  const number = z.int(message).min(min, message);
  return z.codec(z.union([z.string(message).regex(/^[0-9]{1,9}$/, message), number], message), number, {
    decode: Number,
    encode: String,
  });
};

const codeLengthMax = 3;
const instantOrOffset = (field: string, description: string) =>
  z
    .codec(z.iso.datetime({ offset: true, error: `${field} must be an ISO 8601 date-time` }), z.date(), {
      decode: (text) => new Date(text),
      encode: (value) => value.toISOString(),
    })
    .optional()
    .meta({ description: `${description}: ISO 8601`, examples: ["2026-01-31T00:00:00.000Z"] });

const filters = {
  cardTokens: line(10_000)
    .optional()
    .meta({
      description: "Only of these cards, comma separated",
      examples: ["ic_1a2b3c4d5e6f708192a3b4c5"],
    }),
  before: instantOrOffset("before", "Created before this instant"),
  after: instantOrOffset("after", "Created after this instant"),
  billingCurrency: line(codeLengthMax)
    .optional()
    .meta({ description: "ISO 4217 code, alphabetic or numeric", examples: ["EUR"] }),
  transactionCurrency: line(codeLengthMax)
    .optional()
    .meta({ description: "ISO 4217 code, alphabetic or numeric", examples: ["EUR"] }),
  mcc: line(4)
    .optional()
    .meta({ description: "Merchant category code", examples: ["5411"] }),
  transactionType: line(2)
    .optional()
    .meta({ description: "ISO 8583 type", examples: ["00"] }),
};

const shared = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

const link = (description: string) =>
  z
    .string()
    .nullable()
    .meta({
      description: `${description}, null if there is none`,
      examples: ["/api/v1/cards/transactions?limit=20&offset=20"],
    });

export const list = defineRoute({
  ...shared,
  method: "GET",
  path: "/cards/transactions",
  summary: "The payments of the user's activated cards, newest first, page by page",
  input: z.object({
    ...filters,
    limit: wholeNumber("limit", 10)
      .optional()
      .meta({ description: "100 by default, at most 500", examples: ["20"] }),
    offset: wholeNumber("offset", 0)
      .optional()
      .meta({ description: "Lines to skip", examples: ["0"] }),
  }),
  output: z.object({
    count: z
      .int()
      .min(0)
      .meta({ description: "Number of lines on all pages", examples: [71] }),
    next: link("Path of the next page"),
    previous: link("Path of the previous page"),
    results: z.array(cardEvent).meta({ description: "The lines of this page, newest first" }),
  }),
  errors: ["request.invalid", "auth.unauthorized"],
});

export const listAll = defineRoute({
  ...shared,
  method: "GET",
  path: "/transactions",
  summary: "The same in one list; only the newest thousand lines",
  input: z.object(filters),
  output: z.array(cardEvent),
  errors: ["request.invalid", "auth.unauthorized"],
  deprecated: { successor: "/cards/transactions" },
});

export const listDisputeReasons = defineRoute({
  ...shared,
  method: "GET",
  path: "/transactions/dispute",
  summary: "Reasons for which a transaction may be disputed",
  output: z.object({
    result: z.record(z.string(), z.string()).meta({
      description: "Labels by reason",
      examples: [{ charged_more_than_once: "Charged more than once" }],
    }),
  }),
  errors: ["auth.unauthorized"],
});

export const dispute = defineRoute({
  ...shared,
  method: "POST",
  path: "/transactions/{threadId}/dispute",
  summary: "Disputes a transaction, once; a fraud report restricts its card",
  status: 202,
  input: z.object({
    threadId: givenId.meta({ description: "The transaction's thread", examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"] }),
    disputeReason: z
      .enum(disputeReasonKeys)
      .meta({ description: "The reason; fraud restricts the card", examples: ["charged_more_than_once"] }),
  }),
  // The error names the valid reasons.
  fieldErrors: { disputeReason: "transactions.invalid_reason" },
  output: z.object({
    message: z.string().meta({ description: "The result, in words", examples: ["Dispute submitted for review"] }),
  }),
  errors: [
    "auth.unauthorized",
    "transactions.not_found",
    "transactions.invalid_reason",
    "transactions.already_disputed",
  ],
});
