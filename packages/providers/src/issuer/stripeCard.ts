/** Cards and their people in the form of Stripe's API. Source: Stripe's API reference, Issuing. */
import type Stripe from "stripe";
import { ProviderUnreadable } from "../http.ts";
import type { Cardholder, CardRequest, IssuedCard } from "./port.ts";
import { printName } from "./printName.ts";
import { buildSpendingControls } from "./stripeControls.ts";
import { toShippingStatus, toStatus } from "./stripeEvent.ts";

function buildAddress(address: Cardholder["address"]) {
  const { line1, line2, city, postalCode, state, country } = address;
  return { line1, ...(line2 && { line2 }), city, postal_code: postalCode, ...(state && { state }), country };
}

/** A person in the form of the API. */
export function buildCardholder(cardholder: Cardholder) {
  const [year, month, day] = (cardholder.birthDate ?? "").split("-").map(Number);
  return {
    name: printName(cardholder.firstName, cardholder.lastName),
    ...(cardholder.email !== null && { email: cardholder.email }),
    phone_number: cardholder.phone,
    individual: {
      first_name: cardholder.firstName,
      last_name: cardholder.lastName,
      ...(year && month && day && { dob: { year, month, day } }),
    },
    billing: { address: buildAddress(cardholder.address) },
    metadata: { user_id: cardholder.userId },
  };
}

/** A card to be made in the form of the API. */
export function buildCard(request: CardRequest): Stripe.Issuing.CardCreateParams {
  const { cardholderId, currency, secondLine, shipping, sealedPin, reference, orderId, controls } = request;
  return {
    cardholder: cardholderId,
    currency: currency.toLowerCase(),
    type: shipping ? "physical" : "virtual",
    status: shipping ? "inactive" : "active",
    spending_controls: buildSpendingControls(controls),
    ...(secondLine !== null && { second_line: secondLine }),
    ...(shipping && {
      shipping: { name: shipping.name, phone_number: shipping.phone, address: buildAddress(shipping.address) },
    }),
    ...(sealedPin !== null && { pin: { encrypted_number: sealedPin } }),
    metadata: { reference, ...(orderId !== null && { order_id: orderId }) },
  };
}

/** Cards are valid for a few years; the issuer does not publish its own limit. */
const yearsValidMax = 20;

/** @throws ProviderUnreadable for an impossible expiry */
function readExpiry({ exp_month: month, exp_year: year }: Stripe.Issuing.Card): Date {
  const years = year - new Date().getUTCFullYear();
  const isMonth = Number.isInteger(month) && month >= 1 && month <= 12;
  if (!Number.isInteger(year) || !isMonth || Math.abs(years) > yearsValidMax)
    throw new ProviderUnreadable("The card issuer sent an impossible expiry");
  // The issuer counts months from one, JavaScript from zero: this is the first instant of the next month.
  return new Date(Date.UTC(year, month));
}

/** A card of the API in our own terms. @throws ProviderUnreadable for an impossible expiry */
export const toIssuedCard = (card: Stripe.Issuing.Card): IssuedCard => ({
  reference: card.metadata["reference"] ?? null,
  cardToken: card.id,
  lastFourDigits: card.last4,
  expiresAt: readExpiry(card),
  status: toStatus(card.status),
  shippingStatus: toShippingStatus(card.shipping),
});
