/** The expiry of a new card. */
import { IssuerError } from "./route.ts";

const yearsValid = 3;

/** The expiry asked for, or a usual one. That each of the two needs the other is our reading. @throws IssuerError */
export function chooseExpiry(
  { exp_month, exp_year }: { exp_month?: number | undefined; exp_year?: number | undefined },
  now: Date,
) {
  if ((exp_month === undefined) !== (exp_year === undefined))
    throw new IssuerError(400, "An expiry needs month and year", { param: "exp_month" });
  const chosen = {
    exp_month: exp_month ?? now.getUTCMonth() + 1,
    exp_year: exp_year ?? now.getUTCFullYear() + yearsValid,
  };
  if (Date.UTC(chosen.exp_year, chosen.exp_month) <= now.getTime())
    throw new IssuerError(400, "The expiry is over", { param: "exp_year" });
  return chosen;
}
