import type { UsePart } from "./compileRule.ts";

/**
 * What of a payment's increments stands, each at its own instant. What was reversed was of the newest ones; what was captured
 * beyond the authorization is of the payment itself.
 *
 * @param increments some approved ones, the newest among them, in their order
 */
export function listUseParts(
  { authorizedCents, spentCents }: { authorizedCents: bigint; spentCents: bigint },
  increments: readonly UsePart[],
): UsePart[] {
  const raised = increments.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const first = authorizedCents > raised ? authorizedCents - raised : 0n;
  let left = (spentCents < authorizedCents ? spentCents : authorizedCents) - first;
  return increments.flatMap(({ at, amountCents }) => {
    const part = left < amountCents ? left : amountCents;
    if (part <= 0n) return [];
    left -= part;
    return [{ at, amountCents: part }];
  });
}
