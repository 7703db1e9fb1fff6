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

/**
 * Whether a callback's signature is that of the secret, and is not too old. The body stays unread, because the package's own
 * reading fails for a bad body as it does for a bad signature.
 */
export function isGenuine(
  { webhooks }: Pick<Stripe, "webhooks">,
  { rawBody, signature, secret }: { rawBody: string; signature: string; secret: string },
): boolean {
  try {
    return webhooks.signature?.verifyHeader(rawBody, signature, secret, callbackSecondsMax, hmacs) === true;
  } catch {
    return false;
  }
}
