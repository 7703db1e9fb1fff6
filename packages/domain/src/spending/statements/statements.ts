/** Statements of account as a user asks for them: of months, and of other ranges. */
import { fail } from "@cardkeep/contract/core/errors";
import type { ListedMonth, Statement } from "@cardkeep/contract/spending/statements";
import { listMonthsInVolumes } from "@cardkeep/db/queries/spending/statementVolumes";
import { monthOf, nextMonth } from "../../core/calendar.ts";
import type { CommitContext, UserContext } from "../../core/context.ts";
import { type Account, isOver, rangeOfMonth, readStatementAccount, type StatementContext } from "./makeStatement.ts";
import { findFirstMonth, getFinalMonth, getVolume, makeStatement } from "./monthStatement.ts";
import { getRange, readRange } from "./rangeStatement.ts";

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
  const account = await readStatementAccount(ctx, ctx.actor.userId);
  const now = await ctx.clock.now(ctx.db);
  const isMonth = /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month);
  if (!isMonth || month > monthOf(now, account.zone) || month < (await findFirstMonth(ctx, account)))
    return fail("statements.not_found");
  if (!isOver(month, account.zone, now)) {
    if (volume !== undefined) fail("statements.not_found");
    const range = rangeOfMonth(month, account.zone);
    return (await makeStatement(ctx, account, range, { month, now, isFinal: false })) ?? fail("statements.too_long");
  }
  const statement = await getFinalMonth(ctx, account, month, now);
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

/** @throws safes.not_found, statements.invalid_range, statements.too_long */
export async function listStatements(
  ctx: UserContext & CommitContext,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<ListedMonth[] | Statement> {
  const account = await readStatementAccount(ctx, ctx.actor.userId);
  if (from !== undefined || to !== undefined) return getRange(ctx, account, readRange(from, to, account.zone));
  return listMonthsOf(ctx, account);
}

/** The months of the user's account, newest first. @throws safes.not_found */
export const listMonths = async (ctx: UserContext & CommitContext): Promise<ListedMonth[]> =>
  listMonthsOf(ctx, await readStatementAccount(ctx, ctx.actor.userId));

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
