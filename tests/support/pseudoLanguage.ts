/** A language of which no word is English: each letter of a text is another sign, and the arguments stay. */

const signs = "ⱥƀȼđɇƒǥħɨɉꝁłɱƞøᵽɋɍşŧʉʌʬẋɏƶ";
const disguise = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => [...signs][letter.toLowerCase().charCodeAt(0) - 97] ?? letter);

/** A text with its own words in other signs: what stands at an even depth of braces. */
function pseudoText(text: string): string {
  let depth = 0;
  return text
    .split(/([{}])/)
    .map((piece) => {
      if (piece === "{") depth += 1;
      if (piece === "}") depth -= 1;
      return depth % 2 === 0 ? disguise(piece) : piece;
    })
    .join("");
}

/** Every text in other signs; dates are written as Basque has them. */
export const pseudoTexts = (english: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(english).map(([key, text]) => [key, pseudoText(text)])),
  "language.locale": "eu",
});

/** The English letters of a text, apart from what may be in it. */
export const findLetters = (text: string, allowed: readonly string[]): string[] =>
  allowed.reduce((rest, part) => rest.replaceAll(part, ""), text).match(/[a-z]{2,}/gi) ?? [];
