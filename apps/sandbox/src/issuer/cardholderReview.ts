/**
 * The issuer's own review of a cardholder, which declines every use meanwhile and holds fast who the person is.
 * Sources: support.stripe.com/questions/issuing-watchlist-reviews, docs.stripe.com/issuing/connect/cardholders-controls.
 */
import { findIssuerObject, lockIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { actAtIssuer, findCardholderId } from "./authorizations.ts";
import { cardholderObject } from "./cardholders.ts";
import { cancelCardsOf, cardObject } from "./cards.ts";

/** What each step of a review leaves in the cardholder. */
const reviews = {
  cleared: { status: "active", requirements: { disabled_reason: null, past_due: [] } },
  under_review: { status: "active", requirements: { disabled_reason: "under_review", past_due: [] } },
  past_due: {
    status: "active",
    requirements: { disabled_reason: "requirements.past_due", past_due: ["individual.verification.document"] },
  },
  blocked: { status: "blocked", requirements: { disabled_reason: "rejected.listed", past_due: [] } },
} as const;
type Review = keyof typeof reviews;
const names = Object.keys(reviews) as [Review, ...Review[]];

export const reviewCardholder = defineSandboxRoute({
  method: "PUT",
  path: "/issuer/cards/{cardToken}/cardholder",
  summary: "The card issuer's review of a card's person. `blocked` cancels the person's cards",
  input: z.object({ cardToken: z.string(), review: z.enum(names) }),
  example: { review: "under_review" },
  run: async (runtime, { cardToken, review }) => {
    const card = await findIssuerObject(runtime.store, cardObject, cardToken);
    const id = card && findCardholderId(card.data["cardholder"]);
    if (!id) throw new SandboxError(404, "No such card");
    await actAtIssuer(runtime, async (work) => {
      const found = await lockIssuerObject(work.tx, cardholderObject, id);
      if (!found) throw new SandboxError(404, "No such cardholder");
      const { status, requirements } = reviews[review];
      // A person that we set inactive stays so after a review.
      const isPaused = review !== "blocked" && found.data["status"] === "inactive";
      const data = { ...found.data, requirements, status: isPaused ? "inactive" : status };
      await updateIssuerObject(work.tx, id, { data });
      work.emit({ type: "issuing_cardholder.updated", object: data });
      if (review === "blocked") await cancelCardsOf(work, id);
    });
    return { cardToken, review };
  },
});
