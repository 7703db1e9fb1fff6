/** Countries and currencies as card history shows them. */
import type { CardEvent } from "@cardkeep/contract/transactions";
import currencyCodes from "currency-codes";
import countries from "i18n-iso-countries/index";
import english from "i18n-iso-countries/langs/en.json" with { type: "json" };

type Country = NonNullable<CardEvent["country"]>;
type Currency = CardEvent["billingCurrency"];

countries.registerLocale(english);

/** Whoever invents codes is not to fill the memory. */
const codesMax = 1_000;

/** Looks up once what each code stands for. */
function remember<Found>(look: (code: string) => Found): (code: string) => Found {
  const known = new Map<string, Found>();
  return (code) => {
    const found = known.get(code) ?? look(code);
    if (known.size < codesMax) known.set(code, found);
    return found;
  };
}

/** A country by its alpha-2 code; null for what is none. */
export const findCountry = (alpha2: string | null): Country | null => (alpha2 === null ? null : lookUpCountry(alpha2));

const lookUpCountry = remember((alpha2): Country | null => {
  const [numeric, alpha3] = [countries.alpha2ToNumeric(alpha2), countries.alpha2ToAlpha3(alpha2)];
  if (numeric === undefined || alpha3 === undefined) return null;
  return { name: countries.getName(alpha2, "en") ?? alpha2, numeric, alpha2, alpha3 };
});

/**
 * A currency by its alphabetic code; one that no standard knows is taken to have two decimals.
 *
 * Remembered, because the platform's formatters take a millisecond to make.
 */
export const describeCurrency = remember((code): Currency => {
  const known = currencyCodes.code(code);
  return { symbol: symbolOf(code), code, decimals: known?.digits ?? 2, name: known?.currency ?? code };
});

const symbolOf = (code: string): string => {
  if (!/^[A-Z]{3}$/.test(code)) return code;
  const parts = new Intl.NumberFormat("en", {
    style: "currency",
    currency: code,
    currencyDisplay: "narrowSymbol",
  }).formatToParts(0);
  return parts.find(({ type }) => type === "currency")?.value ?? code;
};

/** The alphabetic code of a currency given by that or by its number, in any letter case; as it came where it is none. */
export const readCurrencyCode = (text: string): string =>
  currencyCodes.number(text)?.code ?? currencyCodes.code(text.toUpperCase())?.code ?? text;
