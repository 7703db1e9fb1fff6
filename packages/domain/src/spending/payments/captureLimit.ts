/** How much a merchant may capture in silence. The network pays the merchant in any case, so more becomes a case. */
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { OverCapturePolicy } from "../../core/policy.ts";

/** Restaurants, bars, taxis, hairdressers and spas: a tip comes on top. */
const tipped = new Set(["4121", "5812", "5813", "5814", "7230", "7297", "7298"]);
/** Car rentals, cruises and campsites. Source: ISO 18245. */
const travel = new Set(["4411", "7011", "7012", "7032", "7033", "7512", "7513", "7519"]);
/** Codes of single car rental companies and hotels. */
const travelRange = { from: 3351, to: 3999 };
/** Petrol stations, pumps and charging stations: the authorization is a guess, from 1 up. */
const fuel = new Set(["5541", "5542", "5552"]);

/** Whether a merchant of this category captures days after the authorization. */
export const isTravel = (mcc: string): boolean =>
  travel.has(mcc) || (Number(mcc) >= travelRange.from && Number(mcc) <= travelRange.to);

type Captured = Pick<
  CardPayment,
  "status" | "mcc" | "authorizedCents" | "reversedCents" | "merchantCurrency" | "billingCurrency"
>;

/**
 * Cents that captures of a payment may come to without a case. `payment` is as it was before the newest capture.
 *
 * - With an authorization: what was approved and not reversed, and some per cent of it by the kind of merchant. An
 *   authorization that expired counts whole, because merchants capture late. One that was declined counts nothing.
 * - In another currency the rate of the capture's day applies, so some per cent more.
 * - Without an authorization: a small amount, as shops on board of trains and planes clear it.
 */
export function computeCaptureMax(
  { status, mcc, authorizedCents, reversedCents, merchantCurrency, billingCurrency }: Captured,
  { hasAuthorization }: { hasAuthorization: boolean },
  policy: OverCapturePolicy,
): bigint {
  if (!hasAuthorization) return policy.aloneCentsMax;
  if (status === "DECLINED") return 0n;
  const approved = status === "EXPIRED" ? authorizedCents : authorizedCents - reversedCents;
  if (approved <= 0n) return 0n;
  const percent = tipped.has(mcc) ? policy.tipPercent : isTravel(mcc) ? policy.travelPercent : policy.percent;
  const foreign = merchantCurrency === billingCurrency ? 0n : policy.currencyPercent;
  const most = approved + (approved * (percent + foreign)) / 100n;
  return fuel.has(mcc) && most < policy.fuelCentsMax ? policy.fuelCentsMax : most;
}
