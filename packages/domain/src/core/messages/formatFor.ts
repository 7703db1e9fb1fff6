/** Amounts and dates as a person reads them, by the language's locale. */
import type { Token } from "@cardkeep/chain/tokens";
import { formatUnits } from "../wording.ts";
import type { Language } from "../languages/languages.ts";

/** Minor units of a currency with so many decimals. The digits are exact. */
export function formatAmountFor(
  { locale }: Pick<Language, "locale">,
  minor: bigint,
  currency: string,
  decimals: number,
): string {
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = new Intl.NumberFormat(locale, { style: "currency", currency, ...fraction });
  // A decimal text keeps every digit, which a number of JavaScript does not.
  return format.format(formatUnits(minor, decimals) as `${number}`);
}

/** Base units of a token as money of its currency: with cents, and with every digit behind them that there is. */
export function formatTokenFor({ locale }: Pick<Language, "locale">, units: bigint, { fiat, decimals }: Token): string {
  const fraction = { minimumFractionDigits: 2, maximumFractionDigits: decimals };
  const format = new Intl.NumberFormat(locale, { style: "currency", currency: fiat, ...fraction });
  return format.format(formatUnits(units, decimals) as `${number}`);
}

/** A day in UTC. */
export const formatDayFor = ({ locale }: Pick<Language, "locale">, at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(at);
