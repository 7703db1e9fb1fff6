/** The statement of a range of days: months that are over as they are stored, and the rest as it is now. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import {
  type CardItem,
  type Statement,
  type StatementEntry,
  statementDaysMax,
  statementEntriesMax,
} from "@cardkeep/contract/spending/statements";
import { listVolumes } from "@cardkeep/db/queries/spending/statementVolumes";
import { monthOf, nextDay, nextMonth, startOfDay, startOfMonth } from "../../core/calendar.ts";
import { buildStatement } from "./buildStatement.ts";
import { parseAmount } from "./cardFacts.ts";
import { type Account, isOver, type StatementContext } from "./makeStatement.ts";
import { findFirstMonth, getFinalMonth, getVolume, makeStatement } from "./monthStatement.ts";
import type { Range } from "./readPayments.ts";

/** The range of two days, of which the last counts too, or of two instants. @throws statements.invalid_range */
export function readRange(from: string | undefined, to: string | undefined, zone: string): Range {
  if (from === undefined || to === undefined) return fail("statements.invalid_range");
  const range = {
    from: from.includes("T") ? new Date(from) : startOfDay(from, zone),
    to: to.includes("T") ? new Date(to) : startOfDay(nextDay(to), zone),
  };
  if (!(range.from < range.to)) fail("statements.invalid_range");
  if (range.to.getTime() - range.from.getTime() > (statementDaysMax + 1) * dayMs) fail("statements.too_long");
  return range;
}

/** Months of a range that is over, and what of the range is behind them. */
function splitRange({ from, to }: Range, zone: string, now: Date): { months: string[]; rest: Range | null } {
  const months: string[] = [];
  let month = monthOf(from, zone);
  while (isOver(month, zone, now) && startOfMonth(month, zone) < to) {
    months.push(month);
    month = nextMonth(month);
  }
  const start = startOfMonth(month, zone);
  const restFrom = start > from ? start : from;
  return { months, rest: restFrom < to ? { from: restFrom, to } : null };
}

/** A month that is over, whole or by those of its volumes that a range has something of. */
async function* listParts(
  ctx: StatementContext,
  account: Account,
  { month, range, now }: { month: string; range: Range; now: Date },
): AsyncGenerator<Statement> {
  const statement = await getFinalMonth(ctx, account, month, now);
  if (statement.volumes === undefined) return yield statement;
  let from = new Date(statement.from);
  for (const { volume, endsAt } of await listVolumes(ctx.db, account.user.id, month)) {
    if (from < range.to && endsAt > range.from) yield getVolume(ctx, account.user.id, month, volume);
    from = endsAt;
  }
}

/** A statement of a range: of the months that are over what their statements say, and of the rest what there is now. */
export async function getRange(ctx: StatementContext, account: Account, range: Range): Promise<Statement> {
  const now = await ctx.clock.now(ctx.db);
  const first = await findFirstMonth(ctx, account);
  const { months, rest } = splitRange(range, account.zone, now);
  const entries: StatementEntry[] = [];
  const cardItems: CardItem[] = [];
  let opening: string | null = null;
  const add = (part: Statement): void => {
    const isBefore = ({ statedAt }: { statedAt: string }): boolean => new Date(statedAt) < range.from;
    const isWithin = (of: { statedAt: string }): boolean => !isBefore(of) && new Date(of.statedAt) < range.to;
    // What a day's sum stands for may have moved before the range: the balance is that of the lines.
    opening ??= part.entries.findLast(isBefore)?.balance ?? part.openingBalance;
    for (const entry of part.entries) if (isWithin(entry)) entries.push(entry);
    for (const item of part.cardItems) if (isWithin(item)) cardItems.push(item);
    if (entries.length + cardItems.length > statementEntriesMax) fail("statements.too_long");
  };
  for (const month of months.filter((each) => each >= first))
    for await (const part of listParts(ctx, account, { month, range, now })) add(part);
  if (rest) {
    const made = await makeStatement(ctx, account, rest, { month: null, now, isFinal: false });
    add(made ?? fail("statements.too_long"));
  }
  const head = { ...account, month: null, now, isFinal: rest === null };
  const lines = { opening: parseAmount(opening ?? "0.00", account.token.decimals), entries, cardItems };
  return buildStatement(head, range, lines);
}
