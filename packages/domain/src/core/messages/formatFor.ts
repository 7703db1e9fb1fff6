/** Amounts and dates as a person reads them, by the language's locale. */
import type { Language } from "../languages/languages.ts";

/** Minor units of a currency with so many decimals. The digits are exact. */
export function formatAmountFor(
  { locale }: Pick<Language, "locale">,
  minor: bigint,
  currency: string,
  decimals: number,
): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const text = `${minor < 0n ? "-" : ""}${whole}${decimals === 0 ? "" : `.${digits.slice(-decimals)}`}`;
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // A decimal text keeps every digit, which a number of JavaScript does not.
  return format.format(text as `${number}`);
}

/** A day in UTC. */
export const formatDayFor = ({ locale }: Pick<Language, "locale">, at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(at);
