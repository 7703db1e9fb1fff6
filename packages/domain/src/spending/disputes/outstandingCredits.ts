/** What an operator bears of a person's disputes, and what may be advanced beside it. */
import { tokens } from "@cardkeep/chain/tokens";
import type { Tx } from "@cardkeep/db/client";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardDispute, type Credit, readCreditHistory } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { MoneyPolicy } from "../../core/policy.ts";
import { atLeastZero, baseUnitsToCents, greatest, least } from "../../core/money.ts";

/** What a payment moved, in cents. */
export const sumPaid = (
  { tokenSymbol }: Pick<CurrencySafe, "tokenSymbol">,
  { target }: Pick<CardPayment, "target">,
): bigint => atLeastZero(baseUnitsToCents(target, tokens[tokenSymbol]));

/**
 * What the operator has to bear of a credit: what the network has not paid for, and what is owed since it was taken back.
 *
 * The law's credit counts up to what its payment still moves, because it is lowered to that. An advance counts in full: the
 * merchant may take again what it returned.
 */
export function sumOutstanding({ creditCents, reinstatedCents, target, credit, owed, tokenSymbol }: Credit): bigint {
  if (target === null || credit === null || owed === null || tokenSymbol === null)
    return atLeastZero(creditCents - reinstatedCents);
  const token = tokens[tokenSymbol];
  const returned = baseUnitsToCents(credit, token);
  const counted = returned > creditCents ? returned : least(creditCents, sumPaid({ tokenSymbol }, { target }));
  return atLeastZero(counted - reinstatedCents) + baseUnitsToCents(owed, token);
}

/**
 * Cents that the operator bears of a person's other disputes, in all currencies together; and whether one was ever lost. The
 * person's row is locked while they are added up.
 */
export async function readOutstanding(
  tx: Tx,
  dispute: Pick<CardDispute, "id" | "userId">,
): Promise<{ outstandingCents: bigint; hasLost: boolean }> {
  const { credits, hasLost } = await readCreditHistory(tx, dispute);
  return { outstandingCents: credits.reduce((sum, credit) => sum + sumOutstanding(credit), 0n), hasLost };
}

/**
 * Cents that may be advanced for a dispute. What it was advanced already stays until the network decides, also where others
 * have taken the bound up since.
 *
 * Where the law returns the money, or operators decide about that, nothing is advanced.
 *
 * @param heldCents what it was advanced already
 */
export async function readAdvanceMax(
  { disputeCredit, disputeAdvanceCentsMax }: Pick<MoneyPolicy, "disputeCredit" | "disputeAdvanceCentsMax">,
  tx: Tx,
  dispute: Pick<CardDispute, "id" | "userId" | "creditDueAt">,
  heldCents: bigint,
): Promise<bigint> {
  if (disputeCredit !== "provisional" || dispute.creditDueAt !== null) return 0n;
  const { outstandingCents } = await readOutstanding(tx, dispute);
  return greatest(disputeAdvanceCentsMax - outstandingCents, heldCents);
}
