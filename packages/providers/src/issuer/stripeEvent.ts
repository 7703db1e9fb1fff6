/** Parses Stripe's signed events, which may hold any data. Source: docs.stripe.com/webhooks and its API reference. */
import type { IssuerStatus, ShippingStatus } from "@cardkeep/contract/cards";
import type Stripe from "stripe";
import { z } from "zod";
import type { IssuerCallback } from "./port.ts";
import { findDisputeId } from "./stripeDisputes.ts";
import { findThreadId, issuerId, parseAuthorizationRequest } from "./stripeSpending.ts";

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

const card = z.object({
  id: issuerId,
  status: z.string(),
  cancellation_reason: z.string().nullish(),
  shipping: z.object({ status: z.string().nullish() }).nullish(),
});
const envelope = z.object({
  id: issuerId,
  type: z.string().max(255),
  created: z.int().nonnegative(),
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
});

/** An event whose signature was checked; null for an invalid one. */
export function readEvent(event: Stripe.Event): IssuerCallback | null {
  const parsed = envelope.safeParse(event);
  if (!parsed.success) return null;
  const { id, type, created, livemode } = parsed.data;
  const { object } = parsed.data.data;
  const about = { id, type, createdAt: new Date(created * 1000), testMode: !livemode };
  switch (type) {
    case "issuing_card.created":
    case "issuing_card.updated": {
      const read = card.safeParse(object);
      if (!read.success) return null;
      const { id: cardToken, status, cancellation_reason: reason, shipping = null } = read.data;
      const cancelledAs = reason === "lost" || reason === "stolen" ? reason : null;
      const shippingStatus = toShippingStatus(shipping);
      return { ...about, kind: "card", cardToken, status: toStatus(status), cancelledAs, shippingStatus };
    }
    case "issuing_authorization.request":
      return { ...about, kind: "authorization", request: parseAuthorizationRequest(object) };
    case "issuing_authorization.created":
    case "issuing_authorization.updated":
    case "issuing_transaction.created":
    case "issuing_transaction.updated": {
      const threadId = findThreadId(object);
      return threadId === null ? { ...about, kind: "other" } : { ...about, kind: "thread", threadId };
    }
    case "issuing_dispute.created":
    case "issuing_dispute.updated":
    case "issuing_dispute.submitted":
    case "issuing_dispute.closed":
    case "issuing_dispute.funds_reinstated":
    case "issuing_dispute.funds_rescinded": {
      const dispute = findDisputeId(object);
      return dispute === null ? { ...about, kind: "other" } : { ...about, kind: "dispute", ...dispute };
    }
    default:
      return { ...about, kind: "other" };
  }
}
