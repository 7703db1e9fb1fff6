/** What rules see of a use of a card: the request by itself, or for an increment its whole payment. Pure. */
import type { Thread } from "@cardkeep/db/queries/spending/thread";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { UseFacts, UsePart } from "../../core/cardRules/compileRule.ts";
import { listUseParts } from "../../core/cardRules/listUseParts.ts";

type Used = Pick<AuthorizationRequest, "amountCents" | "merchant" | "merchantCurrency" | "channel">;

/** What rules see of a request; `amountCents` is the whole amount of the payment with it. */
export const buildUseFacts = (
  { amountCents, merchant, merchantCurrency, channel }: Used,
  cardId: string,
): UseFacts => ({
  cardId,
  amountCents,
  mcc: merchant.mcc,
  country: merchant.country,
  channel,
  currency: merchantCurrency,
  merchantNetworkId: merchant.networkId,
  merchantName: merchant.name,
});

/**
 * What rules see of an increment: its payment with the grown amount, as one payment. A sum counts each part of it at the
 * instant of its own decision.
 */
export function buildGrownUse(
  request: Used,
  { payment, decisions }: Pick<Thread, "payment" | "decisions">,
): UseFacts & { parts: UsePart[] } {
  const { cardId, authorizedCents, reversedCents, capturedCents, createdAt } = payment;
  const heldCents = authorizedCents - reversedCents;
  const standingCents = heldCents > capturedCents ? heldCents : capturedCents;
  const increments = decisions
    .filter(({ ordinal, isApproved }) => ordinal > 0 && isApproved)
    .map((decision) => ({ at: decision.createdAt.getTime(), amountCents: decision.approvedCents }));
  const raised = listUseParts({ authorizedCents, spentCents: standingCents }, increments);
  const raisedCents = raised.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const parts = [{ at: createdAt.getTime(), amountCents: standingCents - raisedCents }, ...raised];
  return { ...buildUseFacts({ ...request, amountCents: standingCents + request.amountCents }, cardId), parts };
}
