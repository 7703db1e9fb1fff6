/** A list of prices as a text: `EUR=30.23,GBP=26.50`. */
import { currencies, type Currency } from "@cardkeep/contract/core/currencies";
import type { CardPrices } from "@cardkeep/domain/core/policy";

const price = /^\s*(?<code>[A-Z]{3})=(?<whole>\d{1,6})(?:\.(?<part>\d{1,2}))?\s*$/;

/** Cents by currency; null for another text, for a price of nothing, and for a currency twice. */
function parsePrices(text: string): Map<Currency, bigint> | null {
  const prices = new Map<Currency, bigint>();
  for (const entry of text.split(",")) {
    const { code, whole = "", part = "" } = price.exec(entry)?.groups ?? {};
    const currency = currencies.find((each) => each === code);
    const cents = BigInt(whole) * 100n + BigInt(part.padEnd(2, "0"));
    if (currency === undefined || cents === 0n || prices.has(currency)) return null;
    prices.set(currency, cents);
  }
  return prices;
}

/** Whether a text is a list of prices with one in EUR, from which coupons of an amount take their share. */
export const isPriceList = (text: string): boolean => parsePrices(text)?.has("EUR") === true;

/** The prices of a list, in cents. @throws Error for a text that is none */
export function readPrices(text: string): CardPrices {
  const { EUR, ...others }: Partial<Record<Currency, bigint>> = Object.fromEntries(parsePrices(text) ?? []);
  if (EUR === undefined) throw new Error(`${text} is no list of prices`);
  return { ...others, EUR };
}
