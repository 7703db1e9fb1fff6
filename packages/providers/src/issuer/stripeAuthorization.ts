/** Shapes of an authorization of Stripe and of its transactions. Source: Stripe's API reference, Issuing. */
import { z } from "zod";
import { amountDetails } from "./stripeAmounts.ts";
import { merchantData } from "./stripeMerchant.ts";
import { text, verificationData } from "./stripeVerification.ts";

/** The issuer's ids, which arrive from outside and are stored. */
export const issuerId = z.string().regex(/^[\w-]{1,255}$/);
/** Three letters of ISO 4217, or a token's symbol if a merchant charges in a token. */
const currencyCode = z.string().regex(/^[A-Za-z]{3,10}$/);
const money = {
  currency: currencyCode,
  merchant_amount: z.int(),
  merchant_currency: currencyCode,
  merchant_data: merchantData,
  metadata: z.record(z.string(), z.string()).nullish(),
};
/** Up to the year 9999: what is later has no date that a database keeps. */
export const unixSeconds = z.int().nonnegative().max(253_402_300_799);
/** An expanded object or its id. */
export const reference = z.union([issuerId, z.object({ id: issuerId }).transform(({ id }) => id)]);

export const transaction = z.object({
  ...money,
  id: issuerId,
  object: z.literal("issuing.transaction"),
  // The issuer may add types: one that is not known here must not hide the thread.
  type: z.string(),
  amount: z.int(),
  amount_details: amountDetails,
  created: unixSeconds,
  network_data: z.object({ processing_date: text, transaction_id: text }).nullish(),
  card: reference,
  authorization: reference.nullish(),
  token: reference.nullish(),
});

export const authorization = z.object({
  ...money,
  id: issuerId,
  object: z.literal("issuing.authorization"),
  amount: z.int(),
  approved: z.boolean(),
  authorization_method: text,
  card_presence: text,
  status: z.enum(["pending", "closed", "reversed", "expired"]).catch("pending"),
  card: reference,
  pending_request: z
    .object({
      amount: z.int(),
      amount_details: amountDetails,
      currency: z.string(),
      is_amount_controllable: z.boolean().nullish(),
      merchant_amount: z.int(),
      merchant_currency: z.string(),
    })
    .nullish(),
  request_history: z
    .array(
      z.object({
        amount: z.int(),
        amount_details: amountDetails,
        approved: z.boolean(),
        created: unixSeconds.default(0),
        merchant_amount: z.int().nullish(),
        reason: text,
      }),
    )
    .default([]),
  transactions: z.array(transaction).default([]),
  verification_data: verificationData.nullish(),
  token: reference.nullish(),
});

/** A currency's code as ours are written. */
export const toCode = (currency: string): string => currency.toUpperCase();
