/** Plausible people for the sandbox. One seed always gives the same person, in the page as at the provider. */
import { addressBookOf } from "./addressBook.ts";

/** A complete person: every field that any later step can need. */
export interface GeneratedPerson {
  readonly firstName: string;
  readonly lastName: string;
  readonly birthDate: string;
  readonly country: string;
  readonly nationality: string;
  readonly address1: string;
  readonly address2: string;
  readonly city: string;
  readonly postalCode: string;
  readonly state: string;
}

/** FNV-1a with a final mix: 32 bits that differ for similar seeds. */
function hash(text: string): number {
  let bits = 0x811c9dc5;
  for (const character of text) bits = Math.imul(bits ^ (character.codePointAt(0) ?? 0), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const [oldestYear, years, monthsOfYear, daysOfMonth, houses] = [1958, 45, 12, 28, 96];

const floors = ["1st floor", "2nd floor", "3rd floor", "4th floor"] as const;

/** The person of a seed, such as a wallet's address, who lives in a country (ISO 3166-1 alpha-2). */
export function generatePerson(seed: string, country = "DE"): GeneratedPerson {
  const pick = (name: string, count: number): number => hash(`${seed.toLowerCase()}/${name}`) % count;
  const choose = <T>(name: string, values: readonly T[]): T => values[pick(name, values.length)] as T;
  const book = addressBookOf(country);
  const [city, postalCode, state] = choose("city", book.cities);
  const [street, house] = [choose("street", book.streets), 1 + pick("house", houses)];
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  return {
    firstName: choose("first", book.first),
    lastName: choose("last", book.last),
    birthDate: [
      oldestYear + pick("year", years),
      twoDigits(1 + pick("month", monthsOfYear)),
      twoDigits(1 + pick("day", daysOfMonth)),
    ].join("-"),
    country,
    nationality: country,
    address1: book.isNumberFirst === true ? `${house} ${street}` : `${street} ${house}`,
    address2: choose("floor", floors),
    city,
    postalCode,
    state,
  };
}

const letters: Readonly<Record<string, string>> = { ß: "ss", ä: "ae", ö: "oe", ü: "ue" };

/** A name in the letters of a mail address. */
const spell = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[ßäöü]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFD")
    .replaceAll(/[^a-z]/g, "");

const markDigits = 4;

/** A mail address that follows the person's name. Four digits of the seed keep it from others of this name. */
export const generateEmail = (seed: string, { firstName, lastName } = generatePerson(seed)): string =>
  `${spell(firstName)}.${spell(lastName)}.${seed.slice(-markDigits).toLowerCase()}@example.org`;

const subscribers = 90_000_000;
const firstSubscriber = 10_000_000;

/** A German mobile number. */
export const generatePhone = (seed: string): string =>
  `+49151${firstSubscriber + (hash(`${seed.toLowerCase()}/phone`) % subscribers)}`;
