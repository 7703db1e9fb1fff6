/**
 * Changes at the issuer what it has otherwise of a person.
 *
 * While the issuer reviews a person it refuses a request that names who the person is, so what it has already is not sent,
 * and a change of the name waits. Source: docs.stripe.com/issuing/connect/cardholders-controls.
 */
import Stripe from "stripe";
import { ProviderPostponed } from "../http.ts";
import type { buildCardholder } from "./stripeCard.ts";

type Wanted = ReturnType<typeof buildCardholder>;
type Cardholder = Stripe.Issuing.Cardholder;

/** @throws ProviderPostponed until the review ends */
export async function changeCardholder(
  cardholders: Stripe["issuing"]["cardholders"],
  id: string,
  wanted: Wanted,
): Promise<Cardholder> {
  const known = await cardholders.retrieve(id);
  const change = findChange(known, wanted);
  if (Object.keys(change).length === 0) return known;
  try {
    return await cardholders.update(id, change);
  } catch (error) {
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
    if (!isRefused || !isReviewed(await cardholders.retrieve(id))) throw error;
    throw new ProviderPostponed("The card issuer reviews a cardholder and changes nothing of it meanwhile");
  }
}

const isReviewed = ({ requirements }: Cardholder): boolean => Boolean(requirements.disabled_reason);

/** The fields that the issuer has otherwise, whole. It takes the printed name for a new person alone. */
function findChange(known: Cardholder, { name: _, ...wanted }: Wanted): Stripe.Issuing.CardholderUpdateParams {
  const { line2, state } = known.billing.address;
  const { address } = wanted.billing;
  const isLeftOver = (Boolean(line2) && !address.line2) || (Boolean(state) && !address.state);
  const kept = { ...known, billing: isLeftOver ? null : known.billing };
  return {
    ...(wanted.email !== undefined && kept.email !== wanted.email && { email: wanted.email }),
    ...(!contains(kept.phone_number, wanted.phone_number) && { phone_number: wanted.phone_number }),
    ...(!contains(kept.individual, wanted.individual) && { individual: wanted.individual }),
    ...(!contains(kept.billing, wanted.billing) && { billing: wanted.billing }),
    ...(!contains(kept.metadata, wanted.metadata) && { metadata: wanted.metadata }),
  };
}

/** Whether all that is wanted is known; more may be known. */
const contains = (known: unknown, wanted: unknown): boolean =>
  isRecord(wanted)
    ? isRecord(known) && Object.entries(wanted).every(([key, value]) => contains(known[key], value))
    : known === wanted;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
