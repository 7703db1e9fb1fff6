/** Amounts of Stripe's card money. */
import { z } from "zod";

/** Stripe gives what leaves the cardholder a sign; here the kind of a report says it. */
export const abs = (amount: number): bigint => BigInt(Math.abs(amount));

/** Parts of an amount; each is in the card's currency. */
export const amountDetails = z.object({ atm_fee: z.int().nullish(), cashback_amount: z.int().nullish() }).nullish();

/** The parts of an amount that are shown beside it. */
export const readParts = (details: z.output<typeof amountDetails>) => ({
  feeCents: abs(details?.atm_fee ?? 0),
  cashbackCents: abs(details?.cashback_amount ?? 0),
});

/** Currencies without a minor unit of which Stripe counts hundredths. Source: docs.stripe.com/currencies, special cases. */
const inHundredths: readonly string[] = ["ISK", "UGX"];
/** Currencies with hundredths of which Stripe counts whole units. Source: the same page, zero-decimal currencies. */
const inWholeUnits: readonly string[] = ["MGA"];

/** An amount of Stripe's in the minor units of ISO 4217. */
export function toIsoMinor(amount: bigint, currency: string): bigint {
  const code = currency.toUpperCase();
  if (inHundredths.includes(code)) return amount / 100n;
  return inWholeUnits.includes(code) ? amount * 100n : amount;
}

/** Minor units of ISO 4217 as Stripe sends them. */
export function toStripeAmount(minor: number, currency: string): number {
  const code = currency.toUpperCase();
  if (inHundredths.includes(code)) return minor * 100;
  return inWholeUnits.includes(code) ? Math.trunc(minor / 100) : minor;
}
