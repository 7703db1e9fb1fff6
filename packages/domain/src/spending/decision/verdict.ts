import type { RuleHit } from "../../core/cardRules/evaluateRules.ts";
import type { Decline } from "./decline.ts";

/** What was decided of a request: nothing is approved of a declined one. */
export interface Verdict {
  readonly decline: Decline | null;
  readonly askedCents: bigint;
  readonly approvedCents: bigint;
  /** The rules that declined or, in SHADOW, would have. */
  readonly hits: readonly RuleHit[];
}

/** A verdict that approves nothing. */
export const approveNothing = (decline: Decline | null, { amountCents }: { amountCents: bigint }): Verdict => ({
  decline,
  askedCents: amountCents,
  approvedCents: 0n,
  hits: [],
});
