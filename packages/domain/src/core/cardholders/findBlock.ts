/** Why every card of a person is to be inactive at the issuer. Pure. */
import { type Token, tokens } from "@cardkeep/chain/tokens";
import type { CardholderStatus } from "@cardkeep/contract/cards/cards";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import type { Standing } from "@cardkeep/db/queries/cards/cardholders";
import type { MoneyPolicy } from "../policy.ts";

/**
 * The reason, as a decision would name it; null where the person's cards may be used.
 *
 * A frozen or ended card has a status of its own at the issuer, so it stays as it is when the person is active again. An
 * open withdrawal pauses cards for minutes, so it is no reason here.
 */
export function findBlock(
  standing: Standing,
  { unpaidCentsMax }: Pick<MoneyPolicy, "unpaidCentsMax">,
): DeclineReason | null {
  if (standing.isStopped) return "payments_stopped";
  if (!standing.isUserActive) return "user_deactivated";
  if (!standing.isKycApproved) return "kyc_not_approved";
  if (standing.isRisky) return "risk_incompatible";
  if (standing.isChanged) return "account_changed";
  const owedCents = sumOwedCents(standing);
  const unpaidCents = owedCents + standing.waitingCents;
  if (unpaidCents === 0n || unpaidCents < unpaidCentsMax) return null;
  return owedCents > 0n ? "account_owes" : "captures_in_question";
}

/** The person's status at the issuer that follows from it. */
export const cardholderStatusOf = (block: DeclineReason | null): CardholderStatus =>
  block === null ? "active" : "inactive";

/** What a person's payments owe in all currencies, in cents, each token rounded up. */
const sumOwedCents = ({ debts }: Pick<Standing, "debts">): bigint =>
  debts.reduce((sum, { tokenSymbol, owed }) => sum + toCentsUp(owed, tokens[tokenSymbol]), 0n);

function toCentsUp(amount: bigint, { decimals }: Token): bigint {
  const unit = 10n ** BigInt(decimals - 2);
  return (amount + unit - 1n) / unit;
}
