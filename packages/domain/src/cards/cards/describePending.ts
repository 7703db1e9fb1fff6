import type { IssuerStatus } from "@cardkeep/contract/cards/cards";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { isSynced } from "../../core/cardholders/issuerCall.ts";

/** What the issuer is not known to have yet; nothing where it has the card's status. */
export interface Pending {
  pending?: true | undefined;
  pendingText?: string | undefined;
}

const texts: Readonly<Record<IssuerStatus, string>> = {
  active: "The card issuer has not confirmed yet that the card is active. Payments may decline until then.",
  inactive: "The card issuer has not confirmed yet that the card is inactive. Payments decline all the same.",
  canceled: "The card issuer has not confirmed yet that the card has ended. Payments decline all the same.",
};

/** Says which status of a card is pending at the issuer. */
export const describePending = (card: Card): Pending =>
  isSynced(card) ? {} : { pending: true, pendingText: texts[card.issuerStatus] };
