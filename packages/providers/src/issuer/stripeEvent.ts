/** Parses Stripe's signed events, which may hold any data. Source: docs.stripe.com/webhooks and its API reference. */
import type { IssuerStatus, ShippingStatus } from "@cardkeep/contract/cards/cards";
import { findIllFormedText, replaceIllFormedText } from "@cardkeep/contract/core/text";
import { z } from "zod";
import { findDisputeId } from "./stripeDisputes.ts";
import type { CardChange, IssuerCallback } from "./port.ts";
import { findEventHandling } from "./stripeEventTypes.ts";
import { issuerId } from "./stripeAuthorization.ts";
import { findThreadId, parseAuthorizationRequest } from "./stripeSpending.ts";

/** A signature's timestamp may be at most this far from now, in either direction. */
export const callbackSecondsMax = 300;

/** Whether a `Stripe-Signature` has a future timestamp; the package rejects only old ones. */
export const isAhead = (signature: string): boolean =>
  [...signature.matchAll(/t=\s*(\d+)/g)].some(
    ([, seconds]) => Number(seconds) - Date.now() / 1000 > callbackSecondsMax,
  );

const shippingStatusOf: Readonly<Record<string, ShippingStatus>> = {
  pending: "ordered",
  submitted: "ordered",
  shipped: "shipped",
  delivered: "delivered",
  failure: "failed",
  returned: "returned",
  canceled: "cancelled",
};

/** Whether a card spends, as our own status. */
export const toStatus = (status: string): IssuerStatus =>
  status === "active" || status === "canceled" ? status : "inactive";

/** The shipping status, as our own status; null for a virtual card. */
export const toShippingStatus = (shipping: { status?: string | null | undefined } | null): ShippingStatus | null =>
  shipping ? (shippingStatusOf[shipping.status ?? "pending"] ?? "ordered") : null;

/** A word of the issuer that is stored. */
const word = z.string().max(255);
const card = z.object({
  id: issuerId,
  status: z.string(),
  cancellation_reason: z.string().nullish(),
  shipping: z.object({ status: z.string().nullish() }).nullish(),
  latest_fraud_warning: z.object({ type: word.nullish(), started_at: z.int().nonnegative().nullish() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const cardholder = z.object({
  id: issuerId,
  status: word,
  requirements: z.object({ disabled_reason: word.nullish(), past_due: z.array(word).nullish() }).nullish(),
});
const named = z.object({ id: issuerId });
const expired = z.object({ object: z.literal("issuing.authorization"), status: z.literal("expired") });
const envelope = z.object({
  id: issuerId,
  type: word,
  created: z.int().nonnegative(),
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
});

/** The event in a body whose signature is the issuer's. */
export function parseEvent(rawBody: string): IssuerCallback | "senseless" {
  let event: unknown;
  try {
    event = JSON.parse(rawBody);
  } catch {
    return "senseless";
  }
  return readEvent(event);
}

/** An event that is the issuer's own. What cannot be stored in its texts is replaced; a request with such a text is invalid. */
export function readEvent(event: unknown): IssuerCallback | "senseless" {
  const isIllFormed = findIllFormedText(event) !== null;
  const parsed = envelope.safeParse(isIllFormed ? replaceIllFormedText(event) : event);
  if (!parsed.success) return "senseless";
  const { id, type, created, livemode } = parsed.data;
  const { object } = parsed.data.data;
  const objectId = named.safeParse(object).data?.id ?? null;
  const about = { id, type, createdAt: new Date(created * 1000), testMode: !livemode, objectId };
  const handling = findEventHandling(type);
  if (handling === null) return { ...about, kind: "unknown" };
  if ("ignoredBecause" in handling) return { ...about, kind: "ignored" };
  switch (handling.handledBy) {
    case "card": {
      const read = card.safeParse(object);
      return read.success ? { ...about, ...toCardChange(read.data) } : "senseless";
    }
    case "cardholder": {
      const read = cardholder.safeParse(object);
      if (!read.success) return "senseless";
      const { id: cardholderId, status, requirements } = read.data;
      const { disabled_reason: disabledReason = null, past_due: pastDue } = requirements ?? {};
      return { ...about, kind: "cardholder", cardholderId, status, disabledReason, pastDue: pastDue ?? [] };
    }
    case "authorization":
      return { ...about, kind: "authorization", request: isIllFormed ? null : parseAuthorizationRequest(object) };
    case "thread": {
      const threadId = findThreadId(object);
      if (threadId === null) return { ...about, kind: "unknown" };
      return { ...about, kind: "thread", threadId, isExpired: expired.safeParse(object).success };
    }
    case "dispute": {
      const dispute = findDisputeId(object);
      return dispute === null ? { ...about, kind: "unknown" } : { ...about, kind: "dispute", ...dispute };
    }
    case "walletToken":
      return objectId === null ? "senseless" : { ...about, kind: "walletToken", walletTokenId: objectId };
    default:
      return { ...about, kind: "unknown" };
  }
}

function toCardChange(read: z.output<typeof card>): CardChange {
  const { id: cardToken, status, cancellation_reason: reason, shipping = null, metadata } = read;
  const { type, started_at: startedAt } = read.latest_fraud_warning ?? {};
  return {
    kind: "card",
    cardToken,
    status: toStatus(status),
    cancelledAs: reason === "lost" || reason === "stolen" ? reason : null,
    shippingStatus: toShippingStatus(shipping),
    fraudWarning: type ? { type, startedAt: startedAt ? new Date(startedAt * 1000) : null } : null,
    reference: metadata?.["reference"] ?? null,
  };
}
