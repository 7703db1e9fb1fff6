/** ISO 3166-1 codes in both letter forms. */
import countries from "i18n-iso-countries/index";

const alpha3ByAlpha2 = new Map(Object.entries(countries.getAlpha2Codes()));
// Kosovo's code comes from the European Commission; ISO 3166-1 has none.
alpha3ByAlpha2.delete("XK");
const alpha2ByAlpha3 = new Map([...alpha3ByAlpha2].map(([alpha2, alpha3]) => [alpha3, alpha2]));

/** The alpha-2 code for an alpha-3 code; null for any other text. */
export const toAlpha2 = (alpha3: string | null | undefined): string | null => alpha2ByAlpha3.get(alpha3 ?? "") ?? null;

/** The alpha-3 code for an alpha-2 code; null for any other text. */
export const toAlpha3 = (alpha2: string | null | undefined): string | null => alpha3ByAlpha2.get(alpha2 ?? "") ?? null;
