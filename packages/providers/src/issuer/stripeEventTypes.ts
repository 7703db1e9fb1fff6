import type Stripe from "stripe";
import type { IssuerCallback } from "./port.ts";

/** The types of the issuer's events, as its package of the pinned version names them. */
export type IssuingEventType = Extract<Stripe.Event["type"], `issuing_${string}`>;

/** Which kind of callback handles a type, or why it is ignored on purpose. */
export type EventHandling = { handledBy: IssuerCallback["kind"] } | { ignoredBecause: string };

const design =
  "The cards have the issuer's own design. A card of a rejected design is canceled, which issuing_card.updated reports";
const ownCall = "It answers a call of ours, whose answer has it";

/** The one table of the issuer's events. A type that its package adds does not compile here before it has a row. */
export const issuingEventTypes: Readonly<Record<IssuingEventType, EventHandling>> = {
  "issuing_authorization.request": { handledBy: "authorization" },
  "issuing_authorization.created": { handledBy: "thread" },
  "issuing_authorization.updated": { handledBy: "thread" },
  "issuing_transaction.created": { handledBy: "thread" },
  "issuing_transaction.updated": { handledBy: "thread" },
  "issuing_transaction.purchase_details_receipt_updated": {
    ignoredBecause: "A receipt lists what was bought. It changes no amount, and the service does not need it",
  },
  "issuing_card.created": { handledBy: "card" },
  "issuing_card.updated": { handledBy: "card" },
  "issuing_cardholder.created": { ignoredBecause: ownCall },
  "issuing_cardholder.updated": { handledBy: "cardholder" },
  "issuing_dispute.created": { handledBy: "dispute" },
  "issuing_dispute.submitted": { handledBy: "dispute" },
  "issuing_dispute.updated": { handledBy: "dispute" },
  "issuing_dispute.closed": { handledBy: "dispute" },
  "issuing_dispute.funds_reinstated": { handledBy: "dispute" },
  "issuing_dispute.funds_rescinded": { handledBy: "dispute" },
  "issuing_token.created": { handledBy: "walletToken" },
  "issuing_token.updated": { handledBy: "walletToken" },
  "issuing_personalization_design.activated": { ignoredBecause: design },
  "issuing_personalization_design.deactivated": { ignoredBecause: design },
  "issuing_personalization_design.rejected": { ignoredBecause: design },
  "issuing_personalization_design.updated": { ignoredBecause: design },
};

/** The row of a type; null for a type that the table does not have. */
export const findEventHandling = (type: string): EventHandling | null =>
  Object.hasOwn(issuingEventTypes, type) ? issuingEventTypes[type as IssuingEventType] : null;
