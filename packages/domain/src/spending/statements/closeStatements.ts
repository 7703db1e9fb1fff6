/** Makes the statements of months that are over. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { listUnmadeStatements } from "@cardkeep/db/archives/listUnmadeStatements";
import type { Month } from "@cardkeep/db/partitions";
import { listUsersToState } from "@cardkeep/db/queries/spending/statements";
import { monthOf, startOfMonth } from "../../core/calendar.ts";
import { isOver, rangeOfMonth, readStatementAccount, type StatementContext } from "./makeStatement.ts";
import { getFinalMonth, storeMonth } from "./monthStatement.ts";
import { makeNextVolume } from "./volumes.ts";

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
      const account = await readStatementAccount(ctx, userId);
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
        await getFinalMonth(ctx, await readStatementAccount(ctx, userId), month, now);
        made++;
      } catch (error) {
        if (!(error instanceof CardkeepError && error.code === "statements.in_progress")) failures.push(error);
      }
    }
    after = users.length < madeMax ? undefined : users.at(-1);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} statements of ${month} are not made`);
}
