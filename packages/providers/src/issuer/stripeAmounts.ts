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
