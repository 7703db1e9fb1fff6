import { atLeastZero, least, sumOf } from "../money.ts";
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
  const raised = sumOf(increments.map(({ amountCents }) => amountCents));
  const first = atLeastZero(authorizedCents - raised);
  let left = least(spentCents, authorizedCents) - first;
  return increments.flatMap(({ at, amountCents }) => {
    const part = least(left, amountCents);
    if (part <= 0n) return [];
    left -= part;
    return [{ at, amountCents: part }];
  });
}
