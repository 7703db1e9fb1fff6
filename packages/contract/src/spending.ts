/**
 * Card money: what cards were used for, and what became of it.
 *
 * - thread: everything that belongs to one use of a card; its id is the issuer's. - payment: a thread's authorization.
 * - clearing: the merchant's claim, for less, for more, or in several parts. - reversal: an authorization given up, in
 *   whole or in part. - refund: what a merchant gives back. - transfer: the money following on chain.
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
    REQUESTED: { means: "The issuer told of it; not decided yet" },
    DECLINED: { means: "Declined, by the service or by the issuer" },
    AUTHORIZED: { means: "Approved: its amount is held, and moves to the settlement account" },
    REVERSED: { means: "Given up by the merchant before it was cleared; the money goes back" },
    EXPIRED: { means: "Never cleared; the money goes back" },
    CLEARED: { means: "Claimed by the merchant; refunds may follow", isFinal: true },
    CREDITED: { means: "A refund that belongs to no payment", isFinal: true },
  },
  transitions: [
    { from: "REQUESTED", to: "AUTHORIZED", when: "card, balance and allowance let it through" },
    { from: "REQUESTED", to: "DECLINED", when: "one of them does not, or the issuer says no" },
    { from: "REQUESTED", to: "CLEARED", when: "it is cleared without having been authorized" },
    { from: "REQUESTED", to: "REVERSED", when: "the issuer tells of it only when it is reversed" },
    { from: "REQUESTED", to: "EXPIRED", when: "the issuer tells of it only when it has expired" },
    { from: "REQUESTED", to: "CREDITED", when: "a refund belongs to no payment" },
    { from: "AUTHORIZED", to: "CLEARED", when: "its clearing, or the last of several" },
    { from: "AUTHORIZED", to: "REVERSED", when: "the merchant gives it up" },
    { from: "AUTHORIZED", to: "EXPIRED", when: "nobody claimed it in time" },
    { from: "AUTHORIZED", to: "DECLINED", when: "our approval came too late for the issuer" },
    { from: "DECLINED", to: "AUTHORIZED", when: "the issuer approved it without us" },
    { from: "DECLINED", to: "CLEARED", when: "it is cleared all the same" },
    { from: "REVERSED", to: "CLEARED", when: "it is cleared all the same" },
    { from: "EXPIRED", to: "CLEARED", when: "it is cleared all the same" },
  ],
});
export type PaymentStatus = StateOf<typeof paymentMachine>;

export const transferMachine = defineMachine({
  name: "CardTransfer.status",
  initial: "PLANNED",
  states: {
    PLANNED: { means: "To be signed; waits for those before it in its thread" },
    SIGNED: { means: "On its way to the chain" },
    DONE: { means: "On chain", isFinal: true },
    FAILED: { means: "The chain refused it, or it ran and moved no money", isFinal: true },
  },
  transitions: [
    { from: "PLANNED", to: "SIGNED", when: "the spender signed it, and a relayer's transaction" },
    { from: "PLANNED", to: "DONE", when: "the chain has it already" },
    { from: "PLANNED", to: "FAILED", when: "the chain refuses it, or it ran and moved no money" },
    { from: "SIGNED", to: "DONE", when: "mined, with the token's transfer" },
    { from: "SIGNED", to: "FAILED", when: "mined, and reverted or without the token's transfer" },
    {
      from: "SIGNED",
      to: "PLANNED",
      when: "a return reverted and is owed still, or another transaction used its nonce",
    },
  ],
  undone: [
    { from: "DONE", to: "PLANNED", when: "its block is gone, and no transaction of ours was in it" },
    { from: "FAILED", to: "PLANNED", when: "the block that it was refused at is gone" },
    { from: "DONE", to: "SIGNED", when: "its block is gone" },
    { from: "FAILED", to: "SIGNED", when: "its block is gone" },
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
      description: "Of these cards only, comma separated",
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
      description: `${description}, null where there is none`,
      examples: ["/api/v1/cards/transactions?limit=20&offset=20"],
    });

export const list = defineRoute({
  ...shared,
  method: "GET",
  path: "/cards/transactions",
  summary: "What the user's activated cards were used for, newest first, page by page",
  input: z.object({
    ...filters,
    limit: wholeNumber("limit", 10)
      .optional()
      .meta({ description: "100 by default; pages are no longer than 500", examples: ["20"] }),
    offset: wholeNumber("offset", 0)
      .optional()
      .meta({ description: "Lines to leave out", examples: ["0"] }),
  }),
  output: z.object({
    count: z
      .int()
      .min(0)
      .meta({ description: "Lines of all pages", examples: [71] }),
    next: link("Path of the next page"),
    previous: link("Path of the page before"),
    results: z.array(cardEvent).meta({ description: "The lines of this page, newest first" }),
  }),
  errors: ["request.invalid", "auth.unauthorized"],
});

export const listAll = defineRoute({
  ...shared,
  method: "GET",
  path: "/transactions",
  summary: "The same in one list, of which the newest thousand are answered",
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
  summary: "Disputes a transaction, once; one reported as fraudulent restricts its card",
  status: 202,
  input: z.object({
    threadId: givenId.meta({ description: "The transaction's thread", examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"] }),
    disputeReason: z
      .enum(disputeReasonKeys)
      .meta({ description: "Why; the fraud reason restricts the card", examples: ["charged_more_than_once"] }),
  }),
  // A refusal names the valid reasons.
  fieldFaults: { disputeReason: "transactions.invalid_reason" },
  output: z.object({
    message: z.string().meta({ description: "What was done, in words", examples: ["Dispute submitted for review"] }),
  }),
  errors: [
    "auth.unauthorized",
    "transactions.not_found",
    "transactions.invalid_reason",
    "transactions.already_disputed",
  ],
});
