/**
 * Lines of a card's history.
 *
 * - payment: one use of a card.
 * - refund: money that a merchant returns.
 * - reversal: an authorization that a merchant cancels.
 */
import { z } from "zod";
import { cardToken } from "../cards/cards.ts";
import { address, hex, instant, minorAmount } from "../core/primitives.ts";

/** A payment's status on the wire, including the reasons of a decline. */
export const paymentResults = [
  "Approved",
  "IncorrectPin",
  "InsufficientFunds",
  "ExceedsApprovalAmountLimit",
  "InvalidAmount",
  "PinEntryTriesExceeded",
  "IncorrectSecurityCode",
  "Reversal",
  "PartialReversal",
  "Other",
] as const;
export type PaymentResult = (typeof paymentResults)[number];

const country = z
  .object({
    name: z.string().meta({ description: "English name; empty for an unknown code", examples: ["Germany"] }),
    numeric: z.string().meta({ description: "Numeric code, three digits; empty if unknown", examples: ["276"] }),
    alpha2: z.string().meta({ description: "Two-letter code; empty if the issuer sends none", examples: ["DE"] }),
    alpha3: z.string().meta({ description: "Three-letter code; empty if unknown", examples: ["DEU"] }),
  })
  .meta({ id: "Country", description: "A country by ISO 3166-1" });
const currency = z
  .object({
    symbol: z.string().meta({ description: "Alphabetic code, for number formatters", examples: ["EUR"] }),
    code: z.string().meta({ description: "Numeric code, three digits; empty if unknown", examples: ["978"] }),
    decimals: z
      .int()
      .min(0)
      .meta({ description: "Digits after the decimal point", examples: [2] }),
    name: z.string().meta({ description: "English name", examples: ["Euro"] }),
  })
  .meta({ id: "Currency", description: "A currency by ISO 4217" });

const chainTransaction = z.object({
  status: z
    .enum(["Unsubmitted", "Unconfirmed", "ExecReverted", "ExecSuccess"])
    .meta({ description: "Status", examples: ["ExecSuccess"] }),
  to: address.meta({ description: "The called contract" }),
  value: z.string().meta({ description: "Amount of the native token, in base units", examples: ["0"] }),
  data: hex.meta({ description: "Calldata" }),
  hash: hex.nullable().meta({ description: "Transaction hash; null before it is signed" }),
});
export type ChainTransactionStatus = z.output<typeof chainTransaction>["status"];

const base = {
  threadId: z.string().meta({
    description: "The same for a payment and everything that follows it",
    examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"],
  }),
  createdAt: instant.meta({ description: "When it happened" }),
  clearedAt: instant.nullable().meta({ description: "Null until the merchant captures it" }),
  country: country.meta({ description: "The merchant's country; unknown parts are empty" }),
  isPending: z.boolean().meta({ description: "Authorized, and not cleared yet", examples: [false] }),
  impactsCashback: z
    .boolean()
    .nullable()
    .meta({ description: "Whether it earns cashback; null while unknown", examples: [true] }),
  mcc: z.string().meta({ description: "Merchant category code", examples: ["5411"] }),
  merchant: z
    .object({
      name: z.string().meta({ description: "Name; empty if the issuer sends none", examples: ["Corner Shop"] }),
      city: z.string().meta({ description: "City; empty if the issuer sends none", examples: ["Berlin"] }),
      country: country.optional().meta({ description: "Country; unknown parts are empty" }),
    })
    .meta({ description: "The paid merchant" }),
  billingAmount: minorAmount.meta({
    description: "The amount that the account pays, in minor units of the billing currency",
  }),
  billingCurrency: currency.meta({ description: "The account's currency" }),
  transactionAmount: minorAmount.meta({ description: "The merchant's amount, in minor units of its currency" }),
  transactionCurrency: currency.meta({ description: "The merchant's currency" }),
  transactionType: z.string().meta({
    description: "ISO 8583: 00 purchase, 01 cash, 10 account funding, 20 return, 28 prepaid load, 30 balance inquiry",
    examples: ["00"],
  }),
  cardToken,
  transactions: z.array(chainTransaction).meta({ description: "The transactions on chain for this line" }),
};

const original = z
  .object({
    threadId: z.string().meta({ description: "Its thread", examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"] }),
    hash: hex.nullable().meta({ description: "The transaction that paid it; null where none has" }),
  })
  .meta({ id: "OriginalPayment", description: "The payment that it belongs to" });

const kind = { description: "Kind of line" };

/** One line of a card's history. */
export const cardEvent = z
  .discriminatedUnion("kind", [
    z
      .object({
        ...base,
        kind: z.literal("Payment").meta(kind),
        status: z.enum(paymentResults).meta({ description: "Result of the payment", examples: ["Approved"] }),
        creditedAmount: minorAmount.optional().meta({
          description:
            "What a dispute of the thread has returned to the Safe, or is about to, in minor units of the billing currency; absent without any",
        }),
      })
      .meta({ id: "Payment", description: "A use of a card" }),
    z
      .object({
        ...base,
        kind: z.literal("Refund").meta(kind),
        refundAmount: minorAmount.meta({ description: "The refunded amount, in minor units of its currency" }),
        refundCurrency: currency.meta({ description: "The refund's currency" }),
        original,
      })
      .meta({ id: "Refund", description: "Money that a merchant returns" }),
    z
      .object({
        ...base,
        kind: z.literal("Reversal").meta(kind),
        reversalAmount: minorAmount.meta({ description: "The reversed amount, in minor units of its currency" }),
        reversalCurrency: currency.meta({ description: "The reversal's currency" }),
        original,
      })
      .meta({ id: "Reversal", description: "A reversal of an authorization, in whole or in part" }),
  ])
  .meta({ id: "CardTransaction", description: "One line of a card's history" });
export type CardEvent = z.output<typeof cardEvent>;
