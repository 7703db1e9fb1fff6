import { currencies } from "@cardkeep/contract/core/currencies";
import { describeDecline } from "@cardkeep/contract/spending/declineWords";
import { type Figures, figureTokens, listFigures } from "@cardkeep/domain/operations/figures/listFigures";
import { figurePeriods } from "@cardkeep/db/queries/operations/figures";
import { defineNoun } from "../defineNoun.ts";
import { code, count, day, instant, money, text, tokens } from "../value.ts";

/** Approved payments among all, as per cent with one digit; null without payments. */
const formatApprovalRate = ({ approved, declined }: Pick<Figures, "approved" | "declined">): string | null =>
  approved + declined === 0 ? null : `${((100 * approved) / (approved + declined)).toFixed(1)} %`;

export const figures = defineNoun({
  name: "figures",
  title: "Figures",
  group: "People",
  brief: "Figures of the programme: sign-ups, activation, active cards, spending, approvals, withdrawals",
  argument: { name: "day", brief: "First day of the period, such as 2026-11-30" },
  keyOf: (row: Figures) => row.from,
  list: {
    verb: "figures.list",
    brief: "Lists figures by day, week or month, newest first",
    example: "figures list --period month",
    lead:
      "Activated are people whose first card became active. Active cards had an approved payment. Spent are captures less " +
      "refunds, on the day that they were booked. Weeks begin on Monday. Today is counted again every minute, or every five once it has a thousand payments, and a day " +
      "that is over stays.",
    none: "No day is counted yet: a worker does within 15 s of the first sign-up.",
    filters: {
      period: {
        label: "Period",
        brief: "By day, week or month",
        placeholder: "PERIOD",
        values: figurePeriods,
        isTab: true,
        fallback: "day",
      },
    },
    columns: [
      { name: "From", of: (row) => day(row.from) },
      { name: "To", of: (row) => day(row.to), terminal: "optional", page: "never" },
      { name: "Sign-ups", of: (row) => count(row.signUps), isRight: true },
      { name: "Activated", of: (row) => count(row.activated), isRight: true },
      { name: "Active cards", of: (row) => count(row.activeCards), isRight: true },
      { name: "Approved", of: (row) => count(row.approved), isRight: true },
      { name: "Declined", of: (row) => count(row.declined), isRight: true },
      { name: "Approval rate", of: (row) => text(formatApprovalRate(row)), isRight: true },
      {
        name: "Top decline",
        of: ({ declines: [top] }) => code(top?.reason ?? null),
        terminal: "optional",
        page: "filled",
      },
      ...currencies.map((currency) => ({
        name: `Spent in ${currency}`,
        of: (row: Figures) => money(row.spent[currency], currency),
        isRight: true,
        terminal: "optional" as const,
        page: "filled" as const,
      })),
      { name: "Withdrawals", of: (row) => count(row.withdrawals), isRight: true },
      ...figureTokens.map((symbol) => ({
        name: `Withdrawn in ${symbol}`,
        of: (row: Figures) => tokens(row.withdrawn[symbol], symbol),
        isRight: true,
        terminal: "optional" as const,
        page: "filled" as const,
      })),
      { name: "Counted", of: (row) => instant(row.countedAt), terminal: "hidden", page: "never" },
    ],
    read: listFigures,
  },
});

/** The declines of several periods together: reason, words and count, most frequent first. */
export function sumDeclines(rows: readonly Pick<Figures, "declines">[]) {
  const sums = new Map<string, number>();
  for (const { reason, count: times } of rows.flatMap(({ declines }) => declines))
    sums.set(reason, (sums.get(reason) ?? 0) + times);
  return [...sums]
    .map(([reason, times]) => ({ reason, count: times, happened: describeDecline(reason || null).happened }))
    .toSorted((a, b) => b.count - a.count);
}
