/** Statements of account: of months, which are stored once they are over, and of other ranges. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import {
  type CardItem,
  type ListedMonth,
  type Statement,
  type StatementEntry,
  statement as statementSchema,
  statementDaysMax,
  statementEntriesMax,
} from "@cardkeep/contract/spending/statements";
import { listUnmadeStatements } from "@cardkeep/db/archives/listUnmadeStatements";
import type { Month } from "@cardkeep/db/partitions";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { findFirstMovement, sumMovements } from "@cardkeep/db/queries/spending/statedMovements";
import {
  findStatement,
  keepStatement,
  listUsersToState,
  type StoredStatement,
} from "@cardkeep/db/queries/spending/statements";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { findUser, holdUser } from "@cardkeep/db/queries/users/users";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import { createHash } from "node:crypto";
import { closeOfMonth, monthOf, nextDay, nextMonth, startOfDay, startOfMonth } from "../../core/calendar.ts";
import type { CommitContext, UserContext } from "../../core/context.ts";
import { buildStatement } from "./buildStatement.ts";
import { parseAmount } from "./cardFacts.ts";
import { readCardLines } from "./readCardLines.ts";
import { readEntries } from "./readEntries.ts";
import type { Range } from "./readPayments.ts";

/** What was recorded just before the close may be committed this much later. */
const lateCommitMs = 60_000;

type Ctx = Pick<CommitContext, "db" | "clock" | "policy" | "languages" | "commit">;

/** @throws safes.not_found */
async function readAccount({ db, policy, languages }: Ctx, userId: string) {
  const [user, safe, iban] = await Promise.all([
    findUser(db, userId),
    findActiveSafe(db, userId),
    findIban(db, userId),
  ]);
  if (!user || !safe) return fail("safes.not_found");
  const token = tokens[safe.tokenSymbol];
  return {
    user,
    language: languages.of(user.language).code,
    safeAddress: safe.address,
    iban: iban?.iban ?? null,
    token,
    zone: policy.statementTimeZone,
    issuedBy: policy.programme.name,
    openedAt: safe.createdAt,
  };
}

type Account = Awaited<ReturnType<typeof readAccount>>;

const isOver = (month: string, zone: string, now: Date): boolean =>
  now.getTime() >= closeOfMonth(month, zone).getTime() + lateCommitMs;

const rangeOfMonth = (month: string, zone: string): Range => ({
  from: startOfMonth(month, zone),
  to: startOfMonth(nextMonth(month), zone),
});

/** Makes a statement of what the rows are now. */
function makeStatement(
  { db }: Ctx,
  account: Account,
  range: Range,
  head: { month: string | null; now: Date; isFinal: boolean },
) {
  const subject = { userId: account.user.id, token: account.token, zone: account.zone };
  // At one instant of the database: both balances and all entries belong together.
  return readSnapshot(db, async (tx) => {
    const opening = await sumMovements(tx, { userId: subject.userId, token: account.token.address }, range.from);
    const entries = await readEntries(tx, subject, range, { opening });
    const cardItems = await readCardLines(tx, subject, range);
    return buildStatement({ ...account, ...head }, range, { opening, entries, cardItems });
  });
}

const readStored = ({ document, digest }: StoredStatement): Statement => ({
  ...statementSchema.parse(JSON.parse(document)),
  digest,
});

/** The statement of a month. One that is over is stored when it is asked for first, and stays. */
async function getMonth(ctx: Ctx, account: Account, month: string, now: Date): Promise<Statement> {
  const { id: userId } = account.user;
  const range = rangeOfMonth(month, account.zone);
  if (!isOver(month, account.zone, now)) return makeStatement(ctx, account, range, { month, now, isFinal: false });
  const known = await findStatement(ctx.db, userId, month);
  if (known) return readStored(known);
  const document = JSON.stringify(await makeStatement(ctx, account, range, { month, now, isFinal: true }));
  const digest = createHash("sha256").update(document).digest("hex");
  const stored = await ctx.commit(async ({ tx }) => {
    if (!(await holdUser(tx, userId))) fail("safes.not_found");
    return keepStatement(tx, { userId, month, document, digest, createdAt: now });
  });
  return readStored(stored);
}

/** The first month with a statement: that of the first movement, or of the account. */
async function findFirstMonth({ db }: Ctx, { user, token, zone, openedAt }: Account): Promise<string> {
  const moved = await findFirstMovement(db, { userId: user.id, token: token.address });
  return monthOf(moved !== null && moved < openedAt ? moved : openedAt, zone);
}

/** @throws safes.not_found, statements.not_found for a month before the account's first and after the present one */
export async function getStatement(ctx: UserContext & CommitContext, { month }: { month: string }): Promise<Statement> {
  const account = await readAccount(ctx, ctx.actor.userId);
  const now = await ctx.clock.now(ctx.db);
  const isMonth = /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month);
  if (!isMonth || month > monthOf(now, account.zone) || month < (await findFirstMonth(ctx, account)))
    return fail("statements.not_found");
  return getMonth(ctx, account, month, now);
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

/** A statement of a range: of the months that are over what their statements say, and of the rest what there is now. */
async function getRange(ctx: Ctx, account: Account, range: Range): Promise<Statement> {
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
    if (entries.length > statementEntriesMax) fail("statements.too_long");
  };
  for (const month of months.filter((each) => each >= first)) add(await getMonth(ctx, account, month, now));
  if (rest) add(await makeStatement(ctx, account, rest, { month: null, now, isFinal: false }));
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

async function listMonthsOf(ctx: Ctx, account: Account): Promise<ListedMonth[]> {
  const now = await ctx.clock.now(ctx.db);
  const listed: ListedMonth[] = [];
  for (let month = await findFirstMonth(ctx, account); month <= monthOf(now, account.zone); month = nextMonth(month)) {
    const range = rangeOfMonth(month, account.zone);
    const isFinal = isOver(month, account.zone, now);
    listed.unshift({ month, from: range.from.toISOString(), to: range.to.toISOString(), isFinal });
  }
  return listed;
}

/** Statements that are looked for at once. */
const unmadeAtOnce = 200;

/** Makes the statements that need a month's payments, before these leave the database. Those of a month that is not over stay unmade. */
export async function makeStatementsOf(ctx: Ctx, month: Month): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const zone = ctx.policy.statementTimeZone;
  for (;;) {
    const unmade = await listUnmadeStatements(ctx.db, { month, zone, limit: unmadeAtOnce });
    const over = unmade.filter((each) => isOver(each.month, zone, now));
    for (const { userId, month: of } of over) await getMonth(ctx, await readAccount(ctx, userId), of, now);
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
export async function closeStatements(ctx: Ctx): Promise<void> {
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
        await getMonth(ctx, await readAccount(ctx, userId), month, now);
        made++;
      } catch (error) {
        failures.push(error);
      }
    }
    after = users.length < madeMax ? undefined : users.at(-1);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} statements of ${month} are not made`);
}
