/** A user's money over time: the balances that were published to partners, and what the service moved. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import type { Point } from "@cardkeep/html/pictures/line";
import type { QueuedOperation } from "@cardkeep/domain/accounts/delays/queuedOperation";
import { formatApproximate, toUnits } from "./amounts.ts";
import { buildBars, buildLine } from "../page/charts.ts";
import type { Table, Visit } from "../page/page.ts";

/** The balance at the end of each day up to the last one; null before the first that is known. */
export function listDailyBalances(
  history: UserOverview["history"],
  now: Date,
  days: number,
): { day: string; total: bigint | null }[] {
  const today = Math.floor(now.getTime() / dayMs);
  return Array.from({ length: days }, (_, index) => {
    const end = new Date((today - days + index + 2) * dayMs);
    const last = history.findLast(({ at }) => at < end);
    return { day: new Date(end.getTime() - 1).toISOString().slice(5, 10), total: last?.total ?? null };
  });
}

const daysShown = 30;

/** Null where no balance is known: the user has no Safe with a currency, or no partner subscribes. */
export function buildBalanceChart(visit: Visit, { history, safes, readAt }: UserOverview): Table | null {
  const symbol = safes[0]?.tokenSymbol ?? null;
  const newest = history.at(-1);
  if (symbol === null || newest === undefined) return null;
  const points: Point[] = listDailyBalances(history, readAt, daysShown).map(({ day, total }) => ({
    label: day,
    value: total === null ? null : toUnits(total, symbol),
  }));
  const known = points.flatMap(({ value }) => value ?? []);
  const format = (value: number): string => formatApproximate(value, symbol);
  return buildLine(visit, {
    name: "balances",
    title: `Balance at the end of each day, in ${symbol}`,
    summary: `${history.length} published balances in ${daysShown} days: lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}, newest ${format(toUnits(newest.total, symbol))}.`,
    points,
    unit: symbol,
    format,
  });
}

/** What executed withdrawals took out of the Safe on each day, in base units of its token. */
function sumWithdrawals(operations: readonly QueuedOperation[], symbol: string): Map<string, bigint> {
  const byDay = new Map<string, bigint>();
  for (const { effect, endedAt, isExecuted } of operations) {
    if (!isExecuted || endedAt === null || effect.kind !== "withdrawal" || effect.token.symbol !== symbol) continue;
    const day = endedAt.toISOString().slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0n) + effect.amount);
  }
  return byDay;
}

/**
 * What the service moved: cards by the ledger, and withdrawals by these operations. Deposits are not ours, so they are not in it. Null
 * where nothing moved in these days.
 */
export function buildMovedChart(
  visit: Visit,
  { cardMoney, safes, readAt }: UserOverview,
  operations: readonly QueuedOperation[],
): Table | null {
  const symbol = safes[0]?.tokenSymbol ?? null;
  if (symbol === null) return null;
  const withdrawals = sumWithdrawals(operations, symbol);
  if (cardMoney.length === 0 && withdrawals.size === 0) return null;
  const byDay = new Map(cardMoney.map((day) => [day.day, day]));
  const bars = Array.from({ length: daysShown }, (_, index) => {
    const day = new Date(readAt.getTime() - (daysShown - 1 - index) * dayMs).toISOString().slice(0, 10);
    const { spent = 0n, returned = 0n } = byDay.get(day) ?? {};
    const withdrawn = withdrawals.get(day) ?? 0n;
    return { label: day.slice(5), values: [spent, returned, withdrawn].map((amount) => toUnits(amount, symbol)) };
  });
  const sumOf = (place: number): string =>
    formatApproximate(
      bars.reduce((sum, { values }) => sum + (values[place] ?? 0), 0),
      symbol,
    );
  const withdrawn =
    withdrawals.size === 0 ? "" : `, and the newest ${operations.length} operations withdrew ${sumOf(2)}`;
  return buildBars(visit, {
    name: "moved-money",
    title: `Money that the service moved on each day, in ${symbol}`,
    summary: `In ${daysShown} days cards spent ${sumOf(0)} and got ${sumOf(1)} back${withdrawn}. Deposits are not counted.`,
    series: [
      { name: "spent by cards", tone: "first" },
      { name: "returned to cards", tone: "second" },
      { name: "withdrawn", tone: "third" },
    ],
    bars,
  });
}
