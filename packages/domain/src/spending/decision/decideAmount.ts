/** Whether the account covers an amount, by the chain's answer and what is held. Pure. */
import { accrueAllowance } from "@cardkeep/chain/allowance";
import type { SpendingState } from "@cardkeep/chain/accountState";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { sumHeld } from "../../accounts/balances/holds.ts";
import { baseUnitsToCents, centsToBaseUnits } from "../../core/money.ts";
import { type Decline, declineFor } from "./decline.ts";
import type { Asked, Behind, DecisionFacts } from "./decisionFacts.ts";
import { approveNothing, type Verdict } from "./verdict.ts";

/** Whether balance and limit cover the whole amount or, where a part may be approved, a part of it. */
export function decideAmount(
  { token, holds, checkedEntries, policy }: DecisionFacts,
  { state, holds: now }: Behind,
  request: Asked,
): Verdict {
  const held = sumHeld(holds, state.hasRun, now);
  const amount = centsToBaseUnits(request.amountCents, token);
  const decline = checkAccount(state, { amount, held, checkedEntries });
  const approved = { decline: null, askedCents: request.amountCents, hits: [] };
  if (decline === null) return { ...approved, approvedCents: request.amountCents };
  const isShort = decline.reason === "insufficient_funds" || decline.reason === "limit_exceeded";
  const partMin = centsToBaseUnits(policy.partialApprovalCentsMin, token);
  const part = isShort ? computePart(state, request, { held, partMin }) : null;
  if (part === null) return approveNothing(decline, request);
  return { ...approved, approvedCents: baseUnitsToCents(part, token) };
}

const paused = declineFor("account_paused");

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
