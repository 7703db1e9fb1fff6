import { createHash, createHmac } from "node:crypto";
import type Stripe from "stripe";
import { callbackSecondsMax } from "./stripeEvent.ts";

const computeHmac = (payload: string, secret: string): string =>
  createHmac("sha256", secret).update(payload).digest("hex");

/** The package's own source of HMACs hands each to another thread, which takes longer than the HMAC itself. */
const hmacs: Parameters<Stripe.Webhooks["constructEvent"]>[4] = {
  computeHMACSignature: computeHmac,
  computeHMACSignatureAsync: async (payload, secret) => computeHmac(payload, secret),
  computeSHA256Async: async (data) => createHash("sha256").update(data).digest(),
};

/** The event of a callback; null where its signature is not that of the secret, or is too old. */
export function findGenuineEvent(
  { webhooks }: Pick<Stripe, "webhooks">,
  { rawBody, signature, secret }: { rawBody: string; signature: string; secret: string },
): Stripe.Event | null {
  try {
    return webhooks.constructEvent(rawBody, signature, secret, callbackSecondsMax, hmacs);
  } catch {
    return null;
  }
}
