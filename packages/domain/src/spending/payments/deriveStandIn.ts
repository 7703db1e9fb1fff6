import type { CardDecision } from "@cardkeep/db/queries/spending/decisions";
import type { StandInPolicy } from "../../core/policy.ts";
import { atLeastZero, greatest, least } from "../../core/money.ts";
import type { DecidedRequest } from "@cardkeep/providers/issuer/spending";
import type { StandInDecision } from "@cardkeep/db/schema/spending/standIns";

type Request = Pick<DecidedRequest, "isApproved" | "amountCents" | "decidedBy" | "decidedAt" | "reason">;

/** What the issuer decided without us of one thread. */
export interface ThreadStandIn {
  decision: StandInDecision;
  /** The approved requests of it, in the card's currency. */
  approvedCents: bigint;
  reason: string;
  decidedAt: Date;
}

type OwnDecision = Pick<CardDecision, "ordinal" | "isApproved" | "isByIssuer" | "approvedCents">;

/**
 * Of the approvals without us, cents that we had not approved ourselves: an approval of ours that came too late to count is as
 * good as one in time. Pure.
 *
 * @param requests all of the thread, in their order
 */
export const sumUnapproved = (requests: readonly Request[], decisions: readonly OwnDecision[]): bigint =>
  requests.reduce((sum, { isApproved, decidedBy, amountCents }, ordinal) => {
    if (decidedBy !== "stand_in" || !isApproved) return sum;
    const own = decisions.find((decision) => decision.ordinal === ordinal && !decision.isByIssuer);
    return sum + atLeastZero(amountCents - (own?.isApproved ? own.approvedCents : 0n));
  }, 0n);

/** The issuer's own decisions about a thread that were ours to make; null without any. Pure. */
export function deriveStandIn(requests: readonly Request[]): ThreadStandIn | null {
  const alone = requests.filter(({ decidedBy }) => decidedBy === "stand_in");
  const approved = alone.filter(({ isApproved }) => isApproved);
  const first = approved[0] ?? alone[0];
  if (!first) return null;
  return {
    decision: approved.length > 0 ? "APPROVED" : "DECLINED",
    approvedCents: approved.reduce((sum, { amountCents }) => sum + amountCents, 0n),
    reason: first.reason ?? "unknown",
    decidedAt: first.decidedAt,
  };
}

/**
 * Cents of a payment's stand-in approvals beyond the allowance. Pure.
 *
 * @param aloneCents what we had not approved of them
 * @param dayCents what the user's day comes to, with them
 */
export function computeStandInExcess(aloneCents: bigint, dayCents: bigint, allowed: StandInPolicy | null): bigint {
  if (allowed === null) return aloneCents;
  const ofDay = least(aloneCents, dayCents - allowed.dayCentsMax);
  return atLeastZero(greatest(aloneCents - allowed.paymentCentsMax, ofDay));
}
