/**
 * Milliseconds until the next look at what may take long: the longer it has taken, the fewer looks.
 *
 * @param perAge how many looks there would be within its age
 */
export const spaceLooks = (
  ageMs: number,
  { minMs, maxMs, perAge = 10 }: { minMs: number; maxMs: number; perAge?: number },
): number => Math.min(maxMs, Math.max(minMs, ageMs / perAge));
