import type { StandInRules } from "../rules.ts";
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

const most = (...amounts: bigint[]): bigint => amounts.reduce((a, b) => (b > a ? b : a), 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Cents of a stand-in approval beyond the allowance; `dayCents` is what the user's day comes to, with it. Pure. */
export function computeStandInExcess(approvedCents: bigint, dayCents: bigint, allowed: StandInRules | null): bigint {
  if (allowed === null) return approvedCents;
  const ofDay = least(approvedCents, dayCents - allowed.dayCentsMax);
  return most(approvedCents - allowed.paymentCentsMax, ofDay);
}
