/** A person's name as it is printed on a card, within the issuer's length. Pure. */

/** Source: docs.stripe.com/api/issuing/cardholders/create, `name`. */
const lengthMax = 24;

/**
 * The family name stays whole: given names become shorter first, the last of them before the first. A family name that is
 * too long by itself ends at a word's end, or else at the limit.
 */
export function printName(firstName: string, lastName: string): string {
  const given = firstName.split(/\s+/).filter((word) => word !== "");
  const family = lastName.trim().replaceAll(/\s+/g, " ");
  const shorter = given.map((_, index) => [
    ...given.slice(0, given.length - index - 1),
    ...initialsOf(given, index + 1),
  ]);
  const fewer = given.map((_, index) => initialsOf(given, given.length).slice(0, given.length - index - 1));
  const forms = [given, ...shorter, ...fewer].map((names) => [...names, family].join(" "));
  return forms.find((form) => form.length <= lengthMax) ?? cutFamily(family);
}

/** The last given names as initials, each part of a double name with its own. */
const initialsOf = (given: readonly string[], count: number): string[] =>
  given.slice(given.length - count).map((name) =>
    name
      .split("-")
      .filter((part) => part !== "")
      .map((part) => `${part.slice(0, 1)}.`)
      .join("-"),
  );

function cutFamily(family: string): string {
  const end = Math.max(family.lastIndexOf(" ", lengthMax), family.slice(0, lengthMax + 1).lastIndexOf("-"));
  return family.slice(0, end > 0 ? end : lengthMax).trim();
}
