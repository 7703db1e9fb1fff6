/** Ids that begin with the millisecond of their making, as those of UUID version 7 do. */

/** A millisecond as such ids begin with it, without hyphens. */
export const timeDigits = (atMs: number): string => atMs.toString(16).padStart(12, "0");

/** The lowest id of a millisecond. */
export function firstIdAt(atMs: number): string {
  const digits = timeDigits(atMs);
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
