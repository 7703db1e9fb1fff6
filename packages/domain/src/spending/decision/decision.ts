/** The answer to the issuer, and its row. */
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import type { CardDecision } from "@cardkeep/db/queries/spending/decisions";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { atLeastZero } from "../../core/money.ts";
import type { Verdict } from "./verdict.ts";

export interface Decision {
  readonly approved: boolean;
  /** `approved`, or the code of the decline: see `declineWords.ts` of the contract. */
  readonly reason: string;
  /** The part that is approved, where it is less than what was asked for. */
  readonly amountCents?: bigint;
}

const approvedReason = "approved";

/** A decline without more. */
export const refuse = (reason: DeclineReason): Decision => ({ approved: false, reason });

/** The answer of a verdict: approved where nothing declines, with the amount where it is a part of what was asked for. */
export const buildDecision = ({ decline, askedCents, approvedCents }: Omit<Verdict, "hits">): Decision =>
  decline ? refuse(decline.reason) : approve(askedCents, approvedCents);

/** An approval, with its amount where that is a part of what was asked for. */
export const approve = (askedCents: bigint, approvedCents: bigint): Decision => {
  const isPart = approvedCents < askedCents;
  return { approved: true, reason: approvedReason, ...(isPart && { amountCents: approvedCents }) };
};

/** The row of a decision about a request. */
export const buildDecisionRow = (
  createdAt: Date,
  { id: paymentId, userId }: Pick<CardPayment, "id" | "userId">,
  { ordinal, feeCents, cashbackCents }: Pick<AuthorizationRequest, "ordinal" | "feeCents" | "cashbackCents">,
  { decline, askedCents, approvedCents }: Verdict,
): CardDecision => ({
  paymentId,
  ordinal,
  userId,
  askedCents,
  approvedCents,
  feeCents,
  cashbackCents,
  isApproved: decline === null,
  reason: decline?.reason ?? approvedReason,
  isByIssuer: false,
  createdAt,
});

/** The merchant's amount for the approved part of a request. */
export const toMerchantShare = (
  { amountCents, merchantMinor }: Pick<AuthorizationRequest, "amountCents" | "merchantMinor">,
  approvedCents: bigint,
): bigint =>
  approvedCents === amountCents || amountCents <= 0n
    ? atLeastZero(merchantMinor)
    : (atLeastZero(merchantMinor) * approvedCents) / amountCents;
