/** Who may have a card, and the error for each missing precondition. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { countLiveCards } from "@cardkeep/db/queries/cards/cards";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import type { User } from "@cardkeep/db/queries/users/users";
import { type CompleteUser, requireComplete } from "../../core/cardholders/buildDetails.ts";
import { isContactNew } from "../../core/cardholders/contactWindow.ts";
import type { Services } from "../../core/services.ts";
import { countAccepted } from "../../users/users/terms.ts";

/** Physical and virtual ones that have not ended. */
const liveCardsMax = 5;

/**
 * Requires that a person may have one more card.
 *
 * @throws cards.kyc_required, cards.source_of_funds_required, cards.risk_incompatible, cards.phone_required,
 *   cards.contact_changed, cards.name_missing, cards.name_invalid, cards.address_missing, cards.unsupported_country,
 *   cards.too_many
 */
export async function requireEligible(
  { policy, clock }: Pick<Services, "policy" | "clock">,
  on: Executor,
  user: User,
): Promise<CompleteUser> {
  if (user.kycStatus !== "approved") fail("cards.kyc_required");
  if (!user.isSourceOfFundsAnswered) fail("cards.source_of_funds_required");
  if (user.sourceOfFundsRisk === "red") fail("cards.risk_incompatible");
  if (!user.isPhoneValidated || !user.phone) fail("cards.phone_required");
  if (isContactNew(user, await clock.now(on))) fail("cards.contact_changed");
  const complete = requireComplete(user);
  if (!policy.cardCountries.includes(complete.country.toUpperCase())) fail("cards.unsupported_country");
  if ((await countLiveCards(on, user.id)) >= liveCardsMax) fail("cards.too_many");
  return complete;
}

/** Requires that a person accepted every document in force: what else is missing is said first. @throws cards.terms_required */
export async function requireTerms(on: Executor, { id }: Pick<User, "id">): Promise<void> {
  const { accepted, all } = await countAccepted(on, id);
  if (accepted < all) fail("cards.terms_required");
}

/** Whether an address is in its person's country: cards are shipped to no other. */
export const isAtHome = ({ country }: Pick<Order, "country">, user: Pick<CompleteUser, "country">): boolean =>
  country?.toUpperCase() === user.country.toUpperCase();

/** @throws cards.embossed_name_missing, cards.shipping_missing, cards.shipping_elsewhere */
export function requireShippable(order: Order, user: CompleteUser): void {
  if (!order.embossedName) fail("cards.embossed_name_missing");
  if (order.virtual) return;
  if (!order.address1 || !order.city || !order.postalCode || !order.country) fail("cards.shipping_missing");
  if (!isAtHome(order, user)) fail("cards.shipping_elsewhere");
}
