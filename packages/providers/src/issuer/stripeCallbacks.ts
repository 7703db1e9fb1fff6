/** Stripe's events as a list: it has those too that never arrived. Source: docs.stripe.com/webhooks/process-undelivered-events. */
import Stripe from "stripe";
import { ProviderRefused } from "../http.ts";
import type { CardIssuer, IssuerCallback } from "./port.ts";
import { readEvent } from "./stripeEvent.ts";
import { issuingEventTypes } from "./stripeEventTypes.ts";

/** Uses of cards and disputes are listed by themselves. */
const kinds: readonly IssuerCallback["kind"][] = ["card", "cardholder", "walletToken"];

const types = Object.entries(issuingEventTypes).flatMap(([type, handling]) =>
  "handledBy" in handling && kinds.includes(handling.handledBy) ? [type] : [],
);

/** What lists callbacks. */
export const createCallbackIssuer = (
  stripe: Stripe,
  ask: <T>(what: string, call: () => Promise<T>) => Promise<T>,
): Pick<CardIssuer, "listCallbacks"> => ({
  listCallbacks: (since) =>
    ask("list the events", async () => {
      const listed: IssuerCallback[] = [];
      const page = { created: { gte: Math.floor(since.getTime() / 1000) }, types, limit: 100 };
      try {
        for await (const event of stripe.events.list(page)) {
          const callback = readEvent(event);
          if (callback !== "senseless") listed.push(callback);
        }
      } catch (error) {
        // The same key may do all other calls, which must not stop for this one.
        if (error instanceof Stripe.errors.StripePermissionError)
          throw new ProviderRefused(403, "The card issuer's API key may not read events");
        throw error;
      }
      // The issuer lists the newest first.
      return listed.reverse();
    }),
});
