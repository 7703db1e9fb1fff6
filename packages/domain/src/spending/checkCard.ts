/** Whether a card may be used: every rule in its order, from facts that somebody else gathered. All pure. */
import { accrueAllowance } from "@cardkeep/chain/allowance";
import type { SpendingState } from "@cardkeep/chain/port";
import type { Token } from "@cardkeep/chain/tokens";
import type { PaymentResult } from "@cardkeep/contract/cardEvents";
import type { SpendingCard } from "@cardkeep/db/queries/spending/payments";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";

/** Why a card was declined: our word for it, and the one on the wire. */
export interface Decline {
  readonly reason: string;
  readonly result: PaymentResult;
}

const refuse = (reason: string, result: PaymentResult = "Other"): Decline => ({ reason, result });

export const unavailable = refuse("unavailable");
const paused = refuse("account_paused");

const activeCode = "1000";

/** Minor units of a token's currency as its base units; each of the currencies has two decimals. */
export const toBaseUnits = (minorUnits: bigint, { decimals }: Token): bigint =>
  minorUnits * 10n ** BigInt(decimals - 2);

/** What forbids a use whatever the account holds; null when nothing does. */
export function checkCard(
  card: SpendingCard,
  request: Pick<AuthorizationRequest, "amountCents" | "currency" | "hasWrongSecurityCode">,
  token: Token | null,
): Decline | null {
  if (!card.isActivated) return refuse("card_not_activated");
  if (card.statusCode !== activeCode) return refuse("card_not_active");
  if (!card.isUserActive) return refuse("user_deactivated");
  if (!card.isKycApproved) return refuse("kyc_not_approved");
  if (token === null) return refuse("account_not_ready");
  if (request.amountCents < 0n) return refuse("invalid_amount", "InvalidAmount");
  if (request.currency !== token.fiat) return refuse("currency_not_supported");
  if (request.hasWrongSecurityCode) return refuse("incorrect_security_code", "IncorrectSecurityCode");
  if (card.isChanged) return refuse("account_changed");
  if (card.owes) return refuse("account_owes");
  return card.isPaused ? paused : null;
}

/**
 * Whether chain or relay stand still: an owner could then empty the account before what is approved moves.
 *
 * @param chainAt time of the block that answered
 * @param oldestHoldAt when the oldest spend of any account was approved that is still to move
 */
export function checkFreshness(
  now: Date,
  { chainAt, oldestHoldAt }: { chainAt: Date; oldestHoldAt: Date | null },
  { cooldownSeconds }: { cooldownSeconds: number },
): Decline | null {
  const oldestMs = Math.min(chainAt.getTime(), oldestHoldAt?.getTime() ?? Infinity);
  return now.getTime() - oldestMs > silenceSecondsMax(cooldownSeconds) * 1000 ? refuse("chain_stale") : null;
}

/** For how long chain and relay may be silent, in seconds: a third of the cooldown, and no less than a few blocks. */
export const silenceSecondsMax = (cooldownSeconds: number): number => Math.max(cooldownSeconds / 3, 5);

/**
 * What the account's state forbids; `held` is what of it is spoken for, in base units like `amount`. Queue entries from
 * `checkedEntries` on are unknown, so nothing is approved while there are any.
 */
export function checkAccount(
  { isWhole, txNonce, queueNonce, balance, allowance, timestamp }: SpendingState,
  { amount, held, checkedEntries }: { amount: bigint; held: bigint; checkedEntries: bigint },
): Decline | null {
  if (!isWhole || !allowance) return refuse("account_changed");
  if (queueNonce > txNonce) return paused;
  if (queueNonce > checkedEntries) return paused;
  if (balance - held < amount) return refuse("insufficient_funds", "InsufficientFunds");
  const left = accrueAllowance(allowance, timestamp) - held;
  return left < amount ? refuse("limit_exceeded", "ExceedsApprovalAmountLimit") : null;
}
