/** Countries and currencies as card history shows them. */
import type { CardEvent } from "@cardkeep/contract/spending/cardEvents";
import currencyCodes from "currency-codes";
import countries from "i18n-iso-countries/index";
import english from "i18n-iso-countries/langs/en.json" with { type: "json" };
import { LRUCache } from "lru-cache";

type Country = CardEvent["country"];
type Currency = CardEvent["billingCurrency"];

countries.registerLocale(english);

/** The number of codes that are remembered, so that invented codes do not fill the memory. */
const codesMax = 1_000;

/** Looks each code up once. */
function remember<Found extends object>(look: (code: string) => Found): (code: string) => Found {
  const known = new LRUCache<string, Found>({ max: codesMax });
  return (code) => {
    const found = known.get(code) ?? look(code);
    known.set(code, found);
    return found;
  };
}

/** A country by its alpha-2 code, null for none; the parts that no standard knows are empty. */
export const describeCountry = (alpha2: string | null): Country => lookUpCountry(alpha2 ?? "");

const lookUpCountry = remember((alpha2): Country => ({
  name: countries.getName(alpha2, "en") ?? "",
  numeric: countries.alpha2ToNumeric(alpha2) ?? "",
  alpha2,
  alpha3: countries.alpha2ToAlpha3(alpha2) ?? "",
}));

/**
 * A currency by its alphabetic code, which is its symbol on the wire: clients give that to their number formatters.
 *
 * One that no standard knows has an empty numeric code, and is taken to have two decimals.
 */
export const describeCurrency = remember((symbol): Currency => {
  const known = currencyCodes.code(symbol);
  return { symbol, code: known?.number ?? "", decimals: known?.digits ?? 2, name: known?.currency ?? symbol };
});

/** The alphabetic code of a currency given by that or by its number, in any letter case; as it came where it is none. */
export const readCurrencyCode = (text: string): string =>
  currencyCodes.number(text)?.code ?? currencyCodes.code(text.toUpperCase())?.code ?? text;
