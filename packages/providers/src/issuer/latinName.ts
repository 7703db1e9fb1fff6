import anyAscii from "any-ascii";

/**
 * What issuers print: Latin letters, periods, commas, hyphens, spaces and apostrophes.
 * Source: Stripe's API reference, Issuing, "Create a cardholder", `individual.first_name`.
 */
const printable = /^[\p{Script=Latin} .,'-]+$/u;

/**
 * A name in Latin letters: as the document writes it, else in the identity provider's own spelling, else transliterated.
 * Null for a name with digits or other characters that no card shows.
 */
export function latinName(name: string, ofProvider: string | null): string | null {
  const tried = [name, ofProvider, transliterate(name)].map((each) => (each === null ? null : tidy(each)));
  return tried.find((each) => each !== null && printable.test(each)) ?? null;
}

/** One code point for a letter with its accent, and the plain apostrophe. */
const tidy = (name: string): string => name.normalize("NFC").replaceAll(/[’ʼʹ]/gu, "'").trim();

/** Null where it is not made of letters: a digit or a sign must not become one. */
const transliterate = (name: string): string | null =>
  /^[\p{L}\p{M} .,'’ʼʹ-]+$/u.test(name) ? anyAscii(name.normalize("NFC")) : null;
