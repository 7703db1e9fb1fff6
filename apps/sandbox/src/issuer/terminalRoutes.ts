/** The merchant's till: the steps after a card was used. */
import { findIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { toStripeAmount } from "@cardkeep/providers/issuer/stripeAmounts";
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { capture, clearWithoutAuthorization, postTransaction, refundCapture, takeBack } from "./captures.ts";
import { cardObject } from "./cards.ts";
import { closeAuthorization, finalizeAmount, reverseAuthorization } from "./endAuthorization.ts";
import { requestIncrement } from "./increments.ts";
import { actAtIssuer } from "./authorizations.ts";
import { IssuerError } from "./route.ts";

const amountMax = 99_999_999;
const currencyCode = z.string().regex(/^[A-Za-z]{3}$/, "must be an ISO 4217 code");
/** The network's id of a capture: the same one twice is one presentment that came twice. */
const reference = z
  .string()
  .regex(/^[\w-]{1,50}$/)
  .optional();
const input = z.object({ threadId: z.string(), amount: z.int().min(1).max(amountMax).optional() });

/** The merchant's amount, where its rate is another one than the authorization's. */
const merchantAmount = z.int().min(1).max(amountMax).optional();

/** Turns the issuer's error into one of the sandbox. */
export async function reportOutcome<T>(acted: Promise<T>): Promise<T> {
  return acted.catch((error: unknown) => {
    if (!(error instanceof IssuerError)) throw error;
    throw new SandboxError(error.status === 404 ? 404 : 422, error.message);
  });
}

export const clear = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/clear",
  summary: "The merchant captures an authorization: what remains, or less, or more. Repeat for another part",
  input: input.extend({ close: z.boolean().default(true), merchantAmount, reference }),
  example: { amount: 2550 },
  run: async (runtime, { threadId, ...part }) => {
    const captured = await reportOutcome(actAtIssuer(runtime, (work) => capture(work, threadId, part)));
    return { threadId, transactionId: captured.id, amount: Math.abs(captured.amount) };
  },
});

export const reverse = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/reverse",
  summary: "The merchant reverses an authorization, in whole or in part",
  input,
  example: {},
  run: async (runtime, { threadId, amount: part }) => {
    const amount = await reportOutcome(
      actAtIssuer(runtime, (work) => reverseAuthorization(work, threadId, "reversed", part)),
    );
    return { threadId, amount };
  },
});

export const expire = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/expire",
  summary: "An authorization expires because the merchant did not capture it in time",
  input: z.object({ threadId: z.string() }),
  example: {},
  run: async (runtime, { threadId }) => {
    const amount = await reportOutcome(actAtIssuer(runtime, (work) => reverseAuthorization(work, threadId, "expired")));
    return { threadId, amount };
  },
});

export const refund = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/refund",
  summary: "The merchant refunds what it captured, in whole or in part",
  input: input.extend({ merchantAmount }),
  example: { amount: 1000 },
  run: async (runtime, { threadId, amount: part, ...other }) => {
    const { id, amount } = await reportOutcome(
      actAtIssuer(runtime, (work) => refundCapture(work, threadId, part, other.merchantAmount)),
    );
    return { threadId, transactionId: id, amount };
  },
});

export const increment = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/increment",
  summary: "The merchant asks for more on an open authorization: the issuer asks the service for a decision",
  input: z.object({
    threadId: z.string(),
    amount: z.int().min(1).max(amountMax),
    partial: z.boolean().default(false),
  }),
  example: { amount: 5000 },
  run: (runtime, { threadId, ...asked }) => reportOutcome(requestIncrement(runtime, threadId, asked)),
});

const finalize = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/finalize",
  summary: "The merchant names the amount that an open authorization ends with, as a petrol station does",
  input: z.object({ threadId: z.string(), amount: z.int().min(0).max(amountMax) }),
  example: { amount: 6240 },
  run: async (runtime, { threadId, amount }) => {
    await reportOutcome(actAtIssuer(runtime, (work) => finalizeAmount(work, threadId, { amount, details: {} })));
    return { threadId, amount };
  },
});

export const clearOffline = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/clearings",
  summary: "A merchant captures or refunds without an authorization: offline, by force, or long after a stay",
  input: z.object({
    cardToken: z.string(),
    kind: z.enum(["capture", "refund"]).default("capture"),
    amount: z.int().min(1).max(amountMax),
    currency: currencyCode.default("EUR"),
    merchantAmount,
    merchantCurrency: currencyCode.optional(),
    merchant: z.string().min(1).max(100).default("In-flight Shop"),
    city: z.string().min(1).max(100).default("Frankfurt"),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/)
      .default("DE"),
    mcc: z
      .string()
      .regex(/^\d{4}$/)
      .default("5309"),
    reference,
  }),
  example: { amount: 1250, merchant: "In-flight Shop", mcc: "5309" },
  run: async (runtime, { cardToken, kind, amount, merchant: name, city, country, mcc, ...money }) => {
    const { currency, merchantCurrency = currency } = money;
    if (!(await findIssuerObject(runtime.store, cardObject, cardToken))) throw new SandboxError(404, "No such card");
    const { id: threadId } = await reportOutcome(
      actAtIssuer(runtime, (work) =>
        clearWithoutAuthorization(work, cardToken, {
          type: kind,
          amount,
          merchantAmount: toStripeAmount(money.merchantAmount ?? amount, merchantCurrency),
          reference: money.reference,
          currency: currency.toLowerCase(),
          merchantCurrency: merchantCurrency.toLowerCase(),
          merchant: { name, city, country: country.toUpperCase(), mcc },
        }),
      ),
    );
    return { threadId, transactionId: threadId, amount };
  },
});

const backRoute = (step: "take-back" | "return-capture", type: "capture" | "refund", summary: string) =>
  defineSandboxRoute({
    method: "POST",
    path: `/issuer/authorizations/{threadId}/${step}`,
    summary,
    input,
    example: { amount: 500 },
    run: async (runtime, { threadId, amount: part }) => {
      const { id, amount } = await reportOutcome(actAtIssuer(runtime, (work) => takeBack(work, threadId, type, part)));
      return { threadId, transactionId: id, amount: Math.abs(amount) };
    },
  });

const takeBackRefund = backRoute(
  "take-back",
  "refund",
  "The merchant takes a refund back, in whole or in part: a refund below zero",
);

const returnCapture = backRoute(
  "return-capture",
  "capture",
  "The acquirer reverses a presentment, in whole or in part: a capture above zero",
);

const close = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/close",
  summary: "An authorization is closed without a capture",
  input: z.object({ threadId: z.string() }),
  example: {},
  run: async (runtime, { threadId }) => {
    const amount = await reportOutcome(actAtIssuer(runtime, (work) => closeAuthorization(work, threadId)));
    return { threadId, amount };
  },
});

const signed = z.int().min(-amountMax).max(amountMax);

const post = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/transactions",
  summary: "The issuer posts a transaction of any type and sign, as where its forms are new or wrong",
  input: z.object({
    threadId: z.string(),
    type: z.string().regex(/^[a-z_]{1,40}$/),
    amount: signed,
    merchantAmount: signed.optional(),
  }),
  example: { type: "fee", amount: -250 },
  run: async (runtime, { threadId, ...posted }) => {
    const { id, amount } = await reportOutcome(actAtIssuer(runtime, (work) => postTransaction(work, threadId, posted)));
    return { threadId, transactionId: id, amount };
  },
});

export const terminalRoutes = [
  clear,
  reverse,
  expire,
  refund,
  increment,
  finalize,
  clearOffline,
  takeBackRefund,
  returnCapture,
  close,
  post,
] as const;
