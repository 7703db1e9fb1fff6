/** Amounts and dates as a person reads them, by the language's locale. */
import type { Token } from "@cardkeep/chain/tokens";
import { formatUnits } from "../wording.ts";
import type { Language } from "../languages/languages.ts";

type Locale = Pick<Language, "locale">;

/** Minor units of a currency with so many decimals, of which at least `digitsMin` are shown. The digits are exact. */
function formatMoney({ locale }: Locale, minor: bigint, currency: string, decimals: number, digitsMin: number): string {
  const fraction = { minimumFractionDigits: digitsMin, maximumFractionDigits: decimals };
  const format = new Intl.NumberFormat(locale, { style: "currency", currency, ...fraction });
  // A decimal text keeps every digit, which a number of JavaScript does not.
  return format.format(formatUnits(minor, decimals) as `${number}`);
}

/** Minor units of a currency with so many decimals, all of them shown. */
export const formatAmountFor = (language: Locale, minor: bigint, currency: string, decimals: number): string =>
  formatMoney(language, minor, currency, decimals, decimals);

/** Base units of a token as money of its currency: with cents, and with every digit behind them that there is. */
export const formatTokenFor = (language: Locale, units: bigint, { fiat, decimals }: Token): string =>
  formatMoney(language, units, fiat, decimals, 2);

/** A day in UTC. */
export const formatDayFor = ({ locale }: Locale, at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(at);
