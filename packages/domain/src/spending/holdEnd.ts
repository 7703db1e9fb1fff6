/** When a hold ends that the issuer closed without a capture. */
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../context.ts";
import type { MoneyRules } from "../rules.ts";
import { isTravel } from "./captureLimit.ts";

const dayMs = 86_400_000;

/**
 * Whether the last day of a hold is over. A pending authorization is the issuer's to end. One that is closed without a capture
 * is about to be captured, up to its last day.
 */
export function isHoldOver(
  rules: Pick<MoneyRules, "holdDays" | "holdTravelDays">,
  { now }: Pick<Work, "now">,
  { mcc, createdAt }: Pick<CardPayment, "mcc" | "createdAt">,
  { authorization, clearings }: Pick<ThreadReport, "authorization" | "clearings">,
): boolean {
  if (authorization?.status !== "closed" || clearings.length > 0) return false;
  const days = isTravel(mcc) ? rules.holdTravelDays : rules.holdDays;
  return now.getTime() >= createdAt.getTime() + days * dayMs;
}
