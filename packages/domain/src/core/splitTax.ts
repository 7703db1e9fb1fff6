/** Digits behind the point of a tax rate. */
const rateDigits = 4;
const whole = 100n * 10n ** BigInt(rateDigits);

/** The tax within a gross price by its rate in per cent, rounded half up to the cent, and the rest; both null without a rate. */
export function splitTax(grossCents: bigint, percent: string | null): { net: bigint | null; tax: bigint | null } {
  if (percent === null) return { net: null, tax: null };
  const [units = "0", fraction = ""] = percent.split(".");
  const rate = BigInt(units + fraction.slice(0, rateDigits).padEnd(rateDigits, "0"));
  const tax = (2n * grossCents * rate + whole + rate) / (2n * (whole + rate));
  return { net: grossCents - tax, tax };
}
