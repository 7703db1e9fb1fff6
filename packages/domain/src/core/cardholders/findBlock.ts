/** Why every card of a person is to be inactive at the issuer. Pure. */
import { type Token, tokens } from "@cardkeep/chain/tokens";
import { dayMs } from "@cardkeep/contract/core/durations";
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
  const unpaidCents = sumUnpaidCents(standing);
  if (unpaidCents === 0n || unpaidCents < unpaidCentsMax) return null;
  return owedCents > 0n ? "account_owes" : "captures_in_question";
}

/** The person's status at the issuer that follows from it. */
export const cardholderStatusOf = (block: DeclineReason | null): CardholderStatus =>
  block === null ? "active" : "inactive";

/** What a person may cost the operator by now, in cents: debts, captures that wait, and holds that ended beside a capture. */
export const sumUnpaidCents = (standing: Pick<Standing, "debts" | "waitingCents" | "matchedCents">): bigint =>
  sumOwedCents(standing) + standing.waitingCents + standing.matchedCents;

/** Since when a person's authorizations may be open at the issuer, which ends none later than at a hotel. */
export const findOpenSince = (
  { holdDays, holdTravelDays }: Pick<MoneyPolicy, "holdDays" | "holdTravelDays">,
  now: Date,
): Date => new Date(now.getTime() - Math.max(holdDays, holdTravelDays) * dayMs);

/** What a person's payments owe in all currencies, in cents, each token rounded up. */
const sumOwedCents = ({ debts }: Pick<Standing, "debts">): bigint =>
  debts.reduce((sum, { tokenSymbol, owed }) => sum + toCentsUp(owed, tokens[tokenSymbol]), 0n);

function toCentsUp(amount: bigint, { decimals }: Token): bigint {
  const unit = 10n ** BigInt(decimals - 2);
  return (amount + unit - 1n) / unit;
}
