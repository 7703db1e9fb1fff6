/** The merchant's till: the steps after a card was used. */
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../route.ts";
import { capture, refundCapture, reverseAuthorization } from "./captures.ts";
import { actAtIssuer } from "./authorizations.ts";
import { IssuerError } from "./route.ts";

const amountMax = 99_999_999;
const input = z.object({ threadId: z.string(), amount: z.int().min(1).max(amountMax).optional() });

/** Turns the issuer's error into one of the sandbox. */
async function reportOutcome<T>(acted: Promise<T>): Promise<T> {
  return acted.catch((error: unknown) => {
    if (!(error instanceof IssuerError)) throw error;
    throw new SandboxError(error.status === 404 ? 404 : 422, error.message);
  });
}

export const clear = defineSandboxRoute({
  method: "POST",
  path: "/issuer/authorizations/{threadId}/clear",
  summary: "The merchant captures an authorization: what remains, or less, or more. Repeat for another part",
  input: input.extend({ close: z.boolean().default(true) }),
  example: { amount: 2550 },
  run: async (runtime, { threadId, amount, close }) => {
    const captured = await reportOutcome(actAtIssuer(runtime, (work) => capture(work, threadId, { amount, close })));
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

const expire = defineSandboxRoute({
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
  input,
  example: { amount: 1000 },
  run: async (runtime, { threadId, amount: part }) => {
    const { id, amount } = await reportOutcome(actAtIssuer(runtime, (work) => refundCapture(work, threadId, part)));
    return { threadId, transactionId: id, amount };
  },
});

export const terminalRoutes = [clear, reverse, expire, refund] as const;
