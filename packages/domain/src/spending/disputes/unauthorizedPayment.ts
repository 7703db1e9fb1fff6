/**
 * What the law of the EEA gives to a person who did not authorize a payment. All pure.
 *
 * Source: directive (EU) 2015/2366. Article 71: the person reports it within 13 months of the debit, longer than a card network takes
 * disputes. Article 73: the money is back by the end of the next business day, unless there are stated grounds to suspect fraud.
 */
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { findNextBusinessDayEnd } from "../../core/businessDays.ts";

/** ISO 3166-1 alpha-2: the Union, Iceland, Liechtenstein and Norway. */
const eea = new Set(
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(" "),
);
const reportMonths = 13;

/** The last instant at which a debit may be reported. */
function findReportEnd(debitedAt: Date): Date {
  const end = new Date(debitedAt);
  end.setUTCMonth(end.getUTCMonth() + reportMonths);
  return end;
}

/** By when the money of a reported payment is to be back; null where the law does not ask for it. */
export function findCreditDue({
  country,
  debitedAt,
  reportedAt,
}: {
  /** Of the person, as it is stored. */
  country: string | null;
  debitedAt: Date;
  reportedAt: Date;
}): Date | null {
  if (!eea.has(country?.toUpperCase() ?? "") || reportedAt > findReportEnd(debitedAt)) return null;
  return findNextBusinessDayEnd(reportedAt);
}

/** The result of 3-D Secure by which the issuer's bank proved the cardholder. */
const proved = "authenticated";
/** A chip with its PIN. */
const provedByChip: readonly string[] = ["chip", "cash_machine"];

/** Grounds on which an operator decides about a report, as sentences; none: the money goes back at once. */
export function listGrounds(
  { threeDSecure, channel }: Pick<CardPayment, "threeDSecure" | "channel">,
  { hasLost, isAboveBound }: { hasLost: boolean; isAboveBound: boolean },
): string[] {
  return [
    ...(threeDSecure === proved ? ["3-D Secure proved the cardholder."] : []),
    ...(provedByChip.includes(channel ?? "") ? ["The card's chip was used."] : []),
    ...(hasLost ? ["The person lost a dispute before."] : []),
    ...(isAboveBound ? ["The person's open credits would be above the bound of the settings."] : []),
  ];
}
