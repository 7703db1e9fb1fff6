/**
 * Counts the days of the programme into figures: a day that is over once, and the present one every few minutes.
 *
 * - final: a day that was read long enough after its end. It is never read again.
 */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import { tokenList } from "@cardkeep/chain/tokens";
import { type Address, nativeToken } from "@cardkeep/contract/core/primitives";
import {
  type Beginnings,
  countCards,
  type CountedFigure,
  countPayments,
  countPeople,
  findFirstSignUp,
  hasManyPayments,
  listCountedDays,
  replaceDay,
  type Span,
  sumSpending,
  sumWithdrawals,
} from "@cardkeep/db/queries/operations/figures";
import { addDays, dayOf, nextDay, startOfDay } from "../../core/calendar.ts";
import type { CommitContext } from "../../core/context.ts";
import type { ChoreContext } from "../housekeeping/runEach.ts";

/**
 * A day that is not final is read again after so long: its figures are at most so old. A day with up to `quietPaymentsMax` payments is
 * quiet. It is read in a few milliseconds, so that a young programme sees what it just did.
 */
export const recounting = { quietMs: minuteMs, busyMs: 5 * minuteMs, quietPaymentsMax: 1_000 };
export type Recounting = typeof recounting;
/** A commit of a day is there by then. */
const settledMs = 10 * minuteMs;
/** History is counted for so long in one run; the next one goes on. */
const runMsMax = 40_000;
/** A day with more payments is read hour by hour, so that no statement takes long. */
const paymentsAtOnceMax = 20_000;
/** The newest days may be open: today, and yesterday until it is final. */
const openDaysMax = 3;

const endOf = (day: string, zone: string): Date => startOfDay(nextDay(day), zone);

/** The Monday of a day's week, and the first of its month. */
const mondayOf = (day: string): string => addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
const firstOf = (day: string): string => `${day.slice(0, 8)}01`;

/** The figures that every counted day has, also where nothing happened. */
const always = ["signUps", "activated", "activeCards", "activeCardsOfWeek", "activeCardsOfMonth"] as const;

/** Adds up figures of several spans. */
function addUp(figures: readonly CountedFigure[]): CountedFigure[] {
  const sums = new Map<string, CountedFigure>(
    always.map((name) => [`${name}:`, { name, part: "", count: 0n, amount: 0n }]),
  );
  for (const { name, part, count, amount } of figures) {
    const known = sums.get(`${name}:${part}`);
    sums.set(`${name}:${part}`, {
      name,
      part,
      count: (known?.count ?? 0n) + count,
      amount: (known?.amount ?? 0n) + amount,
    });
  }
  return [...sums.values()];
}

/** The token of a withdrawal. All that are no tokens of ours are one: people may hold any. */
function nameToken(address: Address): string {
  if (address === nativeToken) return "native";
  return tokenList.find((token) => token.address === address)?.symbol ?? "other";
}

async function countWithdrawals(on: CommitContext["db"], span: Span): Promise<CountedFigure[]> {
  return (await sumWithdrawals(on, span)).map(({ token, count, amount }) => {
    const part = nameToken(token);
    return { name: "withdrawn", part, count, amount: part === "other" ? 0n : amount };
  });
}

/** The spans that a day's payments are read in. */
async function listSpans(on: CommitContext["db"], day: Span): Promise<Span[]> {
  if (!(await hasManyPayments(on, day, paymentsAtOnceMax))) return [day];
  const spans: Span[] = [];
  for (let fromMs = day.from.getTime(); fromMs < day.to.getTime(); fromMs += hourMs)
    spans.push({ ...day, from: new Date(fromMs), to: new Date(Math.min(fromMs + hourMs, day.to.getTime())) });
  return spans;
}

async function readSpan(ctx: CommitContext, day: string): Promise<Span> {
  const zone = ctx.policy.statementTimeZone;
  const offsetMs = (await ctx.clock.getOffsetSeconds(ctx.db)) * 1_000;
  return { from: startOfDay(day, zone), to: endOf(day, zone), offsetMs };
}

/** Reads a day and replaces its figures. */
async function countDay(ctx: CommitContext, day: string): Promise<void> {
  const zone = ctx.policy.statementTimeZone;
  const [countedAt, span] = await Promise.all([ctx.clock.now(ctx.db), readSpan(ctx, day)]);
  const beginnings: Beginnings = {
    day: span.from,
    week: startOfDay(mondayOf(day), zone),
    month: startOfDay(firstOf(day), zone),
  };
  const figures = [await countPeople(ctx.db, span), await countWithdrawals(ctx.db, span)];
  for (const part of await listSpans(ctx.db, span))
    figures.push(
      await countPayments(ctx.db, part),
      await countCards(ctx.db, part, beginnings),
      await sumSpending(ctx.db, part),
    );
  await ctx.commit(({ tx }) => replaceDay(tx, { day, countedAt, figures: addUp(figures.flat()) }));
}

/** The days that are not final, oldest first: those without figures, and those whose figures may have changed. */
async function listOpenDays(ctx: CommitContext, now: Date): Promise<{ day: string; countedAt: Date | null }[]> {
  const zone = ctx.policy.statementTimeZone;
  const counted = await listCountedDays(ctx.db, openDaysMax);
  const isOpen = ({ day, countedAt }: (typeof counted)[number]): boolean =>
    countedAt.getTime() < endOf(day, zone).getTime() + settledMs;
  const open = counted.filter(isOpen).toReversed();
  const newest = counted[0]?.day;
  const first = newest === undefined ? await findFirstSignUp(ctx.db) : null;
  const days: { day: string; countedAt: Date | null }[] = [...open];
  const next = newest === undefined ? first && dayOf(first, zone) : nextDay(newest);
  const today = dayOf(now, zone);
  for (let day = next; day !== null && day <= today; day = nextDay(day)) days.push({ day, countedAt: null });
  return days;
}

/** Whether a day that was read so long ago is read again. */
async function isDue(
  ctx: CommitContext,
  day: string,
  ageMs: number,
  { quietMs, busyMs, quietPaymentsMax }: Recounting,
): Promise<boolean> {
  if (ageMs < quietMs || ageMs >= busyMs) return ageMs >= busyMs;
  return !(await hasManyPayments(ctx.db, await readSpan(ctx, day), quietPaymentsMax));
}

/** Counts the days that are due. Several workers may do so at once: the latest reading of a day stays. */
export async function countDueDays(
  ctx: CommitContext,
  { isStopped, again }: { isStopped: () => boolean; again: Recounting },
): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  for (const { day, countedAt } of await listOpenDays(ctx, now)) {
    if (isStopped()) return;
    const ageMs = countedAt === null ? Number.POSITIVE_INFINITY : now.getTime() - countedAt.getTime();
    if (await isDue(ctx, day, ageMs, again)) await countDay(ctx, day);
  }
}

/** The same as a chore. */
export async function countFigures(ctx: ChoreContext): Promise<void> {
  const endMs = performance.now() + runMsMax;
  const isStopped = (): boolean => ctx.stopping.aborted || performance.now() > endMs;
  await countDueDays(ctx, { isStopped, again: recounting });
}
