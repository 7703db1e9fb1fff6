/** Text that Postgres and UTF-8 can hold: no null character, no unpaired surrogate. */

/** Postgres rejects a statement with a null character; an unpaired surrogate would be stored as U+FFFD. */
const isWellFormedText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The path to the first ill-formed text in a value, object keys included; null if there is none. */
export function findIllFormedText(value: unknown): string[] | null {
  if (typeof value === "string") return isWellFormedText(value) ? null : [];
  if (typeof value !== "object" || value === null || value instanceof Date) return null;
  for (const [key, item] of Object.entries(value)) {
    if (!isWellFormedText(key)) return [];
    const path = findIllFormedText(item);
    if (path) return [key, ...path];
  }
  return null;
}

/** The same value with U+FFFD in place of what cannot be stored in its texts; object keys stay. */
export function replaceIllFormedText(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\ufffd");
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(replaceIllFormedText);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIllFormedText(item)]));
}

/** JSON that is valid, with text that Postgres or UTF-8 cannot hold. */
export class IllFormedText extends SyntaxError {}

/**
 * Parses JSON from outside.
 * @throws SyntaxError for invalid JSON; IllFormedText for JSON with ill-formed text
 */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (findIllFormedText(value)) throw new IllFormedText("JSON holds a null character or an unpaired surrogate");
  return value;
}
