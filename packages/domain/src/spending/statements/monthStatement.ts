/** The statement of a month: stored once it is over, in volumes where it has too many lines. */
import { fail } from "@cardkeep/contract/core/errors";
import { type Statement, statementLinesMax } from "@cardkeep/contract/spending/statements";
import { findFirstMovement } from "@cardkeep/db/queries/spending/statedMovements";
import { findStatement, keepStatement } from "@cardkeep/db/queries/spending/statements";
import { findVolume } from "@cardkeep/db/queries/spending/statementVolumes";
import { holdUser } from "@cardkeep/db/queries/users/users";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import { monthOf } from "../../core/calendar.ts";
import {
  type Account,
  buildDocument,
  rangeOfMonth,
  readStatement,
  readStored,
  type StatementContext,
  subjectOf,
} from "./makeStatement.ts";
import { chooseSummed } from "./readStatementEntries.ts";
import type { Range } from "./readPayments.ts";
import { countLines, enqueueVolumes } from "./volumes.ts";

type Head = Parameters<typeof readStatement>[3];

/** The statement of a range; null where it has too many lines. */
export const makeStatement = (
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
export async function storeMonth(
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
export async function getFinalMonth(
  ctx: StatementContext,
  account: Account,
  month: string,
  now: Date,
): Promise<Statement> {
  const stored = await storeMonth(ctx, account, month, now);
  if (stored) return stored;
  await enqueueVolumes(ctx, account.user.id, month);
  return fail("statements.in_progress", { retryAfterSeconds: volumesAgainSeconds });
}

/** A worker makes some volumes in it. */
const volumesAgainSeconds = 30;

/** One volume of a month. @throws statements.not_found */
export async function getVolume(
  ctx: StatementContext,
  userId: string,
  month: string,
  number: number,
): Promise<Statement> {
  const row = await findVolume(ctx.db, userId, month, number);
  return row ? readStored(row) : fail("statements.not_found");
}

/** The first month with a statement: that of the first movement, or of the account. */
export async function findFirstMonth(
  { db }: StatementContext,
  { user, token, zone, openedAt }: Account,
): Promise<string> {
  const moved = await findFirstMovement(db, { userId: user.id, token: token.address });
  return monthOf(moved !== null && moved < openedAt ? moved : openedAt, zone);
}
