/** The merchant's till: the steps after a card was used. */
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../route.ts";
import { capture, clearWithoutAuthorization, finalizeAmount, refundCapture, reverseAuthorization } from "./captures.ts";
import { requestIncrement } from "./increments.ts";
import { actAtIssuer } from "./authorizations.ts";
import { IssuerError } from "./route.ts";

const amountMax = 99_999_999;
const currencyCode = z.string().regex(/^[A-Za-z]{3}$/, "must be an ISO 4217 code");
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
  input: input.extend({ close: z.boolean().default(true), merchantAmount }),
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
  }),
  example: { amount: 1250, merchant: "In-flight Shop", mcc: "5309" },
  run: async (runtime, { cardToken, kind, amount, merchant: name, city, country, mcc, ...money }) => {
    const { currency, merchantCurrency = currency } = money;
    const { id: threadId } = await reportOutcome(
      actAtIssuer(runtime, (work) =>
        clearWithoutAuthorization(work, cardToken, {
          type: kind,
          amount,
          merchantAmount: money.merchantAmount ?? amount,
          currency: currency.toLowerCase(),
          merchantCurrency: merchantCurrency.toLowerCase(),
          merchant: { name, city, country: country.toUpperCase(), mcc },
        }),
      ),
    );
    return { threadId, transactionId: threadId, amount };
  },
});

export const terminalRoutes = [clear, reverse, expire, refund, increment, finalize, clearOffline] as const;
