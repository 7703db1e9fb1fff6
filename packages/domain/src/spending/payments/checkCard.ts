/** Whether a card may be used: every rule in its order. All functions are pure; the caller reads the facts. */
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { accrueAllowance } from "@cardkeep/chain/allowance";
import type { SpendingState } from "@cardkeep/chain/port";
import type { Token } from "@cardkeep/chain/tokens";
import type { PaymentResult } from "@cardkeep/contract/spending/cardEvents";
import { type DeclineReason, declineReasons } from "@cardkeep/contract/spending/declineReasons";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";

/** Why a card was declined: our code for it, and the status on the wire. */
export interface Decline {
  readonly reason: DeclineReason;
  readonly result: PaymentResult;
}

/** The decline of a reason. */
export const declineFor = (reason: DeclineReason): Decline => ({ reason, result: declineReasons[reason].result });

export const unavailable = declineFor("unavailable");
const paused = declineFor("account_paused");

/** The rules that need no balance: null when none of them declines. */
export function checkCard(
  card: SpendingCard,
  request: Pick<AuthorizationRequest, "amountCents" | "currency" | "hasWrongSecurityCode">,
  token: Token | null,
): Decline | null {
  if (card.isStopped) return declineFor("payments_stopped");
  if (!card.isActivated) return declineFor("card_not_activated");
  if (card.statusCode !== cardStatusCodes.active) return declineFor("card_not_active");
  if (!card.isUserActive) return declineFor("user_deactivated");
  if (!card.isKycApproved) return declineFor("kyc_not_approved");
  if (card.isRisky) return declineFor("risk_incompatible");
  if (token === null) return declineFor("account_not_ready");
  if (request.amountCents < 0n) return declineFor("invalid_amount");
  if (request.currency !== token.fiat) return declineFor("currency_not_supported");
  if (request.hasWrongSecurityCode) return declineFor("incorrect_security_code");
  if (card.isChanged) return declineFor("account_changed");
  if (card.owes) return declineFor("account_owes");
  return card.isPaused ? paused : null;
}

/**
 * Whether a new authorization rests on a contact that was changed so recently that a thief may have changed it: 3-D Secure
 * by a code, or a wallet token that was made since.
 *
 * @param tokenMadeAt null for the card itself; `unknown` for a wallet token that has no row yet
 */
export function checkContact(
  { contactChangedAtMs, contactSettlesAtMs }: Pick<SpendingCard, "contactChangedAtMs" | "contactSettlesAtMs">,
  { verification, ordinal }: Pick<AuthorizationRequest, "verification" | "ordinal">,
  { now, tokenMadeAt }: { now: Date; tokenMadeAt: Date | "unknown" | null },
): Decline | null {
  if (contactChangedAtMs === null || contactSettlesAtMs === null || contactSettlesAtMs <= now.getTime()) return null;
  const isTokenNew = tokenMadeAt === "unknown" || (tokenMadeAt !== null && tokenMadeAt.getTime() >= contactChangedAtMs);
  return ordinal === 0 && (verification.threeDSecure !== null || isTokenNew) ? declineFor("contact_changed") : null;
}

/**
 * Whether chain or relay stand still. An owner could then empty the account before an approved spend moves.
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
  return now.getTime() - oldestMs > silenceSecondsMax(cooldownSeconds) * 1000 ? declineFor("chain_stale") : null;
}

/** For how long chain and relay may be silent, in seconds: a third of the cooldown, and no less than a few blocks. */
export const silenceSecondsMax = (cooldownSeconds: number): number => Math.max(cooldownSeconds / 3, 5);

/**
 * The rules about the account's state; `held` is the reserved amount, in base units like `amount`. Queue entries from
 * `checkedEntries` on are unknown, so nothing is approved while there are any.
 */
export function checkAccount(
  { isWhole, txNonce, queueNonce, balance, allowance, timestamp }: SpendingState,
  { amount, held, checkedEntries }: { amount: bigint; held: bigint; checkedEntries: bigint },
): Decline | null {
  if (!isWhole || !allowance) return declineFor("account_changed");
  if (queueNonce > txNonce) return paused;
  if (queueNonce > checkedEntries) return paused;
  if (balance - held < amount) return declineFor("insufficient_funds");
  const left = accrueAllowance(allowance, timestamp) - held;
  return left < amount ? declineFor("limit_exceeded") : null;
}

/**
 * The part of a request that balance and allowance cover, in base units; null where the whole must be declined.
 *
 * A cash machine pays out what was asked for or nothing, and so does a till that hands out cash beside a purchase. An
 * account verification asks for nothing. So only a purchase is approved in part.
 *
 * @param partMin the least part that is approved, in base units
 */
export function computePart(
  { balance, allowance, timestamp }: SpendingState,
  request: Pick<AuthorizationRequest, "isAmountControllable" | "amountCents" | "cashbackCents" | "transactionType">,
  { held, partMin }: { held: bigint; partMin: bigint },
): bigint | null {
  const { isAmountControllable, amountCents, cashbackCents, transactionType } = request;
  const isPurchase = transactionType === "00" && cashbackCents === 0n && amountCents > 0n;
  if (!isAmountControllable || !isPurchase || !allowance) return null;
  const allowed = accrueAllowance(allowance, timestamp);
  const part = (balance < allowed ? balance : allowed) - held;
  return part > 0n && part >= partMin ? part : null;
}
