/** The routes of card transactions: lists and disputes. */
import { z } from "zod";
import { cardEvent } from "./cardEvents.ts";
import { instantOrDate, updatedSince } from "../core/instantOrDate.ts";
import { disputeReasonKeys } from "../core/disputeReasons.ts";
import { givenId, line } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const wholeNumber = (field: string, min: number) => {
  const message = `${field} must be a whole number of at least ${min}`;
  const number = z.int(message).min(min, message);
  return z.codec(z.union([z.string(message).regex(/^[0-9]{1,9}$/, message), number], message), number, {
    decode: Number,
    encode: String,
  });
};

const codeLengthMax = 3;
const filters = {
  cardTokens: line(10_000)
    .optional()
    .meta({
      description: "Only of these cards: each `cardToken` from `GET /cards`, comma separated",
      examples: ["ic_1a2b3c4d5e6f708192a3b4c5"],
    }),
  updatedSince: updatedSince("such as a capture or a refund of an older payment"),
  before: instantOrDate("before", "Created before this instant, or up to the end of this day in UTC: ISO 8601", 1),
  after: instantOrDate("after", "Created after this instant, or from the start of this day in UTC: ISO 8601", 0),
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

/** More lines of card history than these are not counted. */
export const historyCountedMax = 5_000;

export const list = defineRoute({
  ...shared,
  method: "GET",
  path: "/cards/transactions",
  scope: "transactions",
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
      .meta({
        description: `Number of lines on all pages; counting ends at ${historyCountedMax}, while \`next\` leads further`,
        examples: [71],
      }),
    next: link("Path of the next page"),
    previous: link("Path of the previous page"),
    results: z.array(cardEvent).meta({ description: "The lines of this page, newest first" }),
  }),
  errors: ["request.invalid"],
});

export const listAll = defineRoute({
  ...shared,
  method: "GET",
  path: "/transactions",
  scope: "transactions",
  summary: "The same in one list; only the newest thousand lines",
  input: z.object(filters),
  output: z.array(cardEvent),
  errors: ["request.invalid"],
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
  errors: [],
});

export const dispute = defineRoute({
  ...shared,
  method: "POST",
  path: "/transactions/{threadId}/dispute",
  summary: "Disputes a transaction, once; a fraud report restricts its card",
  status: 202,
  input: z.object({
    threadId: givenId.meta({
      description: "The transaction's thread, `threadId` from `GET /transactions`",
      examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"],
    }),
    disputeReason: z.enum(disputeReasonKeys).meta({
      description: "A key from `GET /transactions/dispute`; fraud restricts the card",
      examples: ["charged_more_than_once"],
    }),
  }),
  // The error names the valid reasons; a body that is no object has none.
  fieldErrors: { "": "transactions.invalid_reason", disputeReason: "transactions.invalid_reason" },
  output: z.object({
    message: z.string().meta({ description: "The result, in words", examples: ["Dispute submitted for review"] }),
  }),
  errors: [
    "request.malformed",
    "transactions.not_found",
    "transactions.declined",
    "transactions.no_money",
    "transactions.invalid_reason",
    "transactions.already_disputed",
  ],
});
