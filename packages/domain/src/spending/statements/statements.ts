/** Statements of account: of months, which are stored once they are over, and of other ranges. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import {
  type CardItem,
  type ListedMonth,
  type Statement,
  type StatementEntry,
  statementDaysMax,
  statementEntriesMax,
  statementLinesMax,
} from "@cardkeep/contract/spending/statements";
import { listUnmadeStatements } from "@cardkeep/db/archives/listUnmadeStatements";
import type { Month } from "@cardkeep/db/partitions";
import { findFirstMovement } from "@cardkeep/db/queries/spending/statedMovements";
import { findStatement, keepStatement, listUsersToState } from "@cardkeep/db/queries/spending/statements";
import { findVolume, listMonthsInVolumes, listVolumes } from "@cardkeep/db/queries/spending/statementVolumes";
import { holdUser } from "@cardkeep/db/queries/users/users";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import { monthOf, nextDay, nextMonth, startOfDay, startOfMonth } from "../../core/calendar.ts";
import type { CommitContext, UserContext } from "../../core/context.ts";
import { buildStatement } from "./buildStatement.ts";
import { parseAmount } from "./cardFacts.ts";
import {
  type Account,
  buildDocument,
  isOver,
  rangeOfMonth,
  readAccount,
  readStatement,
  readStored,
  type StatementContext,
  subjectOf,
} from "./makeStatement.ts";
import { chooseSummed } from "./readEntries.ts";
import type { Range } from "./readPayments.ts";
import { countLines, enqueueVolumes, makeNextVolume } from "./volumes.ts";

type Head = Parameters<typeof readStatement>[3];

/** The statement of a range; null where it has too many lines. */
const makeStatement = (
  { db }: StatementContext,
  account: Account,
  range: Range,
  head: Omit<Head, "summed">,
): Promise<Statement | null> =>
  readSnapshot(db, async (tx) => {
    const summed = await chooseSummed(tx, subjectOf(account), range);
    if ((await countLines(tx, account, range, summed)) > statementLinesMax) return null;
    return readStatement(tx, account, range, { ...head, summed });
  });

/** A month that is over, as its stored statement. It is stored when it is asked for first; null where that has too many lines. */
async function storeMonth(
  ctx: StatementContext,
  account: Account,
  month: string,
  now: Date,
): Promise<Statement | null> {
  const { id: userId } = account.user;
  const known = await findStatement(ctx.db, userId, month);
  if (known) return readStored(known);
  const range = rangeOfMonth(month, account.zone);
  const made = await makeStatement(ctx, account, range, { month, now, isFinal: true });
  if (made === null) return null;
  const row = { userId, month, ...buildDocument(made), createdAt: now };
  const stored = await ctx.commit(async ({ tx }) => {
    if (!(await holdUser(tx, userId))) fail("safes.not_found");
    return keepStatement(tx, row);
  });
  return readStored(stored);
}

/** A month that is over. A worker makes the volumes of one that has too many lines. @throws statements.in_progress until then */
async function getFinal(ctx: StatementContext, account: Account, month: string, now: Date): Promise<Statement> {
  const stored = await storeMonth(ctx, account, month, now);
  if (stored) return stored;
  await enqueueVolumes(ctx, account.user.id, month);
  return fail("statements.in_progress", { retryAfterSeconds: volumesAgainSeconds });
}

/** A worker makes some volumes in it. */
const volumesAgainSeconds = 30;

/** One volume of a month. @throws statements.not_found */
async function getVolume(ctx: StatementContext, userId: string, month: string, number: number): Promise<Statement> {
  const row = await findVolume(ctx.db, userId, month, number);
  return row ? readStored(row) : fail("statements.not_found");
}

/** The first month with a statement: that of the first movement, or of the account. */
async function findFirstMonth({ db }: StatementContext, { user, token, zone, openedAt }: Account): Promise<string> {
  const moved = await findFirstMovement(db, { userId: user.id, token: token.address });
  return monthOf(moved !== null && moved < openedAt ? moved : openedAt, zone);
}

/**
 * The statement of a month, or of one volume of it.
 *
 * @throws safes.not_found, statements.in_volumes, statements.in_progress, statements.too_long, and statements.not_found for a month before
 * the account's first and after the present one
 */
export async function getStatement(
  ctx: UserContext & CommitContext,
  { month, volume }: { month: string; volume?: number | undefined },
): Promise<Statement> {
  const account = await readAccount(ctx, ctx.actor.userId);
  const now = await ctx.clock.now(ctx.db);
  const isMonth = /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month);
  if (!isMonth || month > monthOf(now, account.zone) || month < (await findFirstMonth(ctx, account)))
    return fail("statements.not_found");
  if (!isOver(month, account.zone, now)) {
    if (volume !== undefined) fail("statements.not_found");
    const range = rangeOfMonth(month, account.zone);
    return (await makeStatement(ctx, account, range, { month, now, isFinal: false })) ?? fail("statements.too_long");
  }
  const statement = await getFinal(ctx, account, month, now);
  const { volumes } = statement;
  if (volume !== undefined) {
    if (volumes === undefined) fail("statements.not_found");
    return { ...(await getVolume(ctx, account.user.id, month, volume)), volumes };
  }
  if (volumes !== undefined)
    fail("statements.in_volumes", {
      text: `This month has ${volumes} volumes: ask for each by volume=1 to volume=${volumes}`,
      details: { volumes },
    });
  return statement;
}

/** The range of two days, of which the last counts too, or of two instants. @throws statements.invalid_range */
function readRange(from: string | undefined, to: string | undefined, zone: string): Range {
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
  const statement = await getFinal(ctx, account, month, now);
  if (statement.volumes === undefined) return yield statement;
  let from = new Date(statement.from);
  for (const { volume, endsAt } of await listVolumes(ctx.db, account.user.id, month)) {
    if (from < range.to && endsAt > range.from) yield getVolume(ctx, account.user.id, month, volume);
    from = endsAt;
  }
}

/** A statement of a range: of the months that are over what their statements say, and of the rest what there is now. */
async function getRange(ctx: StatementContext, account: Account, range: Range): Promise<Statement> {
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

/** @throws safes.not_found, statements.invalid_range, statements.too_long */
export async function listStatements(
  ctx: UserContext & CommitContext,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<ListedMonth[] | Statement> {
  const account = await readAccount(ctx, ctx.actor.userId);
  if (from !== undefined || to !== undefined) return getRange(ctx, account, readRange(from, to, account.zone));
  return listMonthsOf(ctx, account);
}

/** The months of the user's account, newest first. @throws safes.not_found */
export const listMonths = async (ctx: UserContext & CommitContext): Promise<ListedMonth[]> =>
  listMonthsOf(ctx, await readAccount(ctx, ctx.actor.userId));

async function listMonthsOf(ctx: StatementContext, account: Account): Promise<ListedMonth[]> {
  const now = await ctx.clock.now(ctx.db);
  const listed: ListedMonth[] = [];
  const volumesOf = new Map(
    (await listMonthsInVolumes(ctx.db, account.user.id)).map(({ month, volumes }) => [month, volumes]),
  );
  for (let month = await findFirstMonth(ctx, account); month <= monthOf(now, account.zone); month = nextMonth(month)) {
    const range = rangeOfMonth(month, account.zone);
    const isFinal = isOver(month, account.zone, now);
    const volumes = volumesOf.get(month);
    listed.unshift({
      month,
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      isFinal,
      ...(volumes !== undefined && { volumes }),
    });
  }
  return listed;
}

/** Statements that are looked for at once. */
const unmadeAtOnce = 200;

/** Makes the statements that need a month's payments, before these leave the database. Those of a month that is not over stay unmade. */
export async function makeStatementsOf(ctx: StatementContext, month: Month): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const zone = ctx.policy.statementTimeZone;
  for (;;) {
    const unmade = await listUnmadeStatements(ctx.db, { month, zone, limit: unmadeAtOnce });
    const over = unmade.filter((each) => isOver(each.month, zone, now));
    for (const { userId, month: of } of over) {
      const account = await readAccount(ctx, userId);
      if (await storeMonth(ctx, account, of, now)) continue;
      while (!(await makeNextVolume(ctx, account, of)));
    }
    if (over.length === 0 || unmade.length < unmadeAtOnce) return;
  }
}

/** Statements that one run of the chore makes. */
const madeMax = 50;

/**
 * Makes the statements of the month that is over, for those who moved money in it. Others do not wait for one that fails.
 *
 * @throws AggregateError of those that failed
 */
export async function closeStatements(ctx: StatementContext): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const zone = ctx.policy.statementTimeZone;
  const present = startOfMonth(monthOf(now, zone), zone);
  const month = monthOf(new Date(present.getTime() - 1), zone);
  if (!isOver(month, zone, now)) return;
  const failures: unknown[] = [];
  let made = 0;
  for (let after: string | undefined = ""; after !== undefined && made < madeMax;) {
    const users = await listUsersToState(ctx.db, month, rangeOfMonth(month, zone), { after, limit: madeMax });
    for (const userId of users) {
      try {
        await getFinal(ctx, await readAccount(ctx, userId), month, now);
        made++;
      } catch (error) {
        if (!(error instanceof CardkeepError && error.code === "statements.in_progress")) failures.push(error);
      }
    }
    after = users.length < madeMax ? undefined : users.at(-1);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} statements of ${month} are not made`);
}
