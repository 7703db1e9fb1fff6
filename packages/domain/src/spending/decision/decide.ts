/**
 * The decision about one use of a card. Pure: the caller reads all facts beforehand.
 *
 * It is asked twice: before the lock, where the card or a rule may decline without the chain, and behind the lock.
 */
import type { Token } from "@cardkeep/chain/tokens";
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import type { Thread } from "@cardkeep/db/queries/spending/thread";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { evaluateRules, findDeclineReason, type RuleHit } from "../../core/cardRules/evaluateRules.ts";
import { hasFailedSpend } from "../payments/debtAmounts.ts";
import { checkFreshness } from "./checkFreshness.ts";
import { decideAmount } from "./decideAmount.ts";
import { type Decline, declineFor } from "./decline.ts";
import type { Asked, Behind, DecisionFacts } from "./decisionFacts.ts";
import { approveNothing, type Verdict } from "./verdict.ts";

/**
 * Decides about a request; `behind` is null before the lock. The first decline counts, in this order: the authorization to
 * raise, the card, a changed contact, the rules, a silent chain, the account.
 */
export function decide(facts: DecisionFacts, behind: Behind | null, request: Asked): Verdict {
  const { card } = behind ?? facts;
  const blocked =
    (behind?.growth ? checkGrowth(behind.growth, card.safeId) : null) ??
    checkCard(card, request, facts.safe.status === "ok" ? facts.token : null) ??
    (behind ? checkContact(card, request, behind) : null);
  const hits = behind ? listHits(behind) : blocked ? [] : facts.rules.hits;
  const declined = blocked ?? declineByRule(hits) ?? (behind ? checkSilence(facts, behind) : null);
  if (declined || behind === null) return { ...approveNothing(declined, request), hits };
  return { ...decideAmount(facts, behind, request), hits };
}

/** By the cooldown of this Safe: the one of new accounts may be longer by now, and then the owner would be faster. */
function checkSilence({ behindMs, oldestHoldAt, safe }: DecisionFacts, { now, state }: Behind): Decline | null {
  const at = new Date(now.getTime() + behindMs);
  return checkFreshness(at, { chainAt: new Date(state.timestamp * 1000), oldestHoldAt }, safe);
}

const listHits = ({ rules, use, history }: Behind): RuleHit[] => [
  ...rules.hits,
  ...evaluateRules(rules.pending, use, history),
];

/** The decline of the first rule that declines; null where none does. */
function declineByRule(hits: readonly RuleHit[]): Decline | null {
  const reason = findDeclineReason(hits);
  return reason && declineFor(reason);
}

/** The rules that need no balance: null when none of them declines. `token` is null until the Safe is in service. */
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
  return card.isPaused ? declineFor("account_paused") : null;
}

/**
 * Whether a new authorization rests on a contact that was changed so recently that a thief may have changed it: 3-D Secure
 * by a code, or a wallet token that was made since.
 *
 * @param tokenMadeAt null for the card itself; `unknown` for a wallet token that has no row while one may be a thief's
 */
export function checkContact(
  { contactChangedAtMs, contactSettlesAtMs }: Pick<SpendingCard, "contactChangedAtMs" | "contactSettlesAtMs">,
  { verification, ordinal }: Pick<AuthorizationRequest, "verification" | "ordinal">,
  { now, tokenMadeAt }: { now: Date; tokenMadeAt: Date | "unknown" | null },
): Decline | null {
  if (contactChangedAtMs === null || contactSettlesAtMs === null || ordinal > 0) return null;
  if (tokenMadeAt === "unknown") return declineFor("contact_changed");
  if (contactSettlesAtMs <= now.getTime()) return null;
  const isTokenNew = tokenMadeAt !== null && tokenMadeAt.getTime() >= contactChangedAtMs;
  return verification.threeDSecure !== null || isTokenNew ? declineFor("contact_changed") : null;
}

/**
 * Why an authorization cannot be raised: it was declined, or it is open no more. A hold that operators released has ended
 * before a worker says so. After a spend that failed, its money is collected as a debt, so nothing more is held for it.
 */
function checkGrowth({ payment, transfers }: Pick<Thread, "payment" | "transfers">, safeId: string): Decline | null {
  if (payment.status === "DECLINED") return declineFor("authorization_unknown");
  const { status, holdEndedAt } = payment;
  const isOpen = status === "AUTHORIZED" && holdEndedAt === null && payment.safeId === safeId;
  return isOpen && !hasFailedSpend(transfers) ? null : declineFor("authorization_ended");
}
