/** The volumes of months that have too many lines for one statement, and where a volume ends. */
import { and, asc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardClearings, movements, statements, statementVolumes } from "../../schema/tables.ts";
import { standsAlone, type StatedAccount, type StatedRange, type Summed } from "./statedMovements.ts";

export type StatementVolume = typeof statementVolumes.$inferSelect;

const ofMonth = (userId: string, month: string) =>
  and(eq(statementVolumes.userId, userId), eq(statementVolumes.month, month));

/** The volumes of a month that are made, in their order, without their documents. */
export const listVolumes = (
  on: Executor,
  userId: string,
  month: string,
): Promise<Omit<StatementVolume, "document">[]> => {
  const { document: _, ...columns } = getTableColumns(statementVolumes);
  return on.select(columns).from(statementVolumes).where(ofMonth(userId, month)).orderBy(asc(statementVolumes.volume));
};

/** One volume of a month; null where there is none. */
export async function findVolume(
  on: Executor,
  userId: string,
  month: string,
  volume: number,
): Promise<StatementVolume | null> {
  const [row] = await on
    .select()
    .from(statementVolumes)
    .where(and(ofMonth(userId, month), eq(statementVolumes.volume, volume)));
  return row ?? null;
}

/** The months of a user whose volumes are all made. */
export const listMonthsInVolumes = (on: Executor, userId: string): Promise<{ month: string; volumes: number }[]> =>
  on
    .select({ month: statements.month, volumes: sql<number>`count(*)::int` })
    .from(statements)
    .innerJoin(
      statementVolumes,
      and(eq(statementVolumes.userId, statements.userId), eq(statementVolumes.month, statements.month)),
    )
    .where(eq(statements.userId, userId))
    .groupBy(statements.month);

/** Stores a volume unless another process did. */
export async function keepVolume(tx: Tx, row: StatementVolume): Promise<void> {
  await tx.insert(statementVolumes).values(row).onConflictDoNothing();
}

/** How many movements of a range stand alone in a statement. */
export async function countStandingAlone(
  on: Executor,
  account: StatedAccount,
  range: StatedRange,
  how: { summed: Summed; cent: bigint },
): Promise<number> {
  const [row] = await on
    .select({ count: sql<string>`count(*)` })
    .from(movements)
    .where(standsAlone(account, range, how));
  return Number(row?.count ?? 0);
}

/** When the movement that stands alone behind `place` others of a range counts; null where there are not so many. */
export async function findMovementAt(
  on: Executor,
  account: StatedAccount,
  range: StatedRange,
  { place, ...how }: { summed: Summed; cent: bigint; place: number },
): Promise<Date | null> {
  const [row] = await on
    .select({ at: movements.statedAt })
    .from(movements)
    .where(standsAlone(account, range, how))
    .orderBy(asc(movements.statedAt))
    .offset(place)
    .limit(1);
  return row?.at ?? null;
}

/** When a clearing counts in a month that begins at `start`: the issuer's date, or when it was recorded if that is of a month before. */
const statedAtIn = (start: Date) =>
  sql`case when ${cardClearings.postedAt} < ${start.toISOString()}::timestamptz then ${cardClearings.createdAt} else ${cardClearings.postedAt} end`;

export interface RecordedRange extends StatedRange {
  readonly userId: string;
  /** When its month began. */
  readonly start: Date;
  /** Its clearings were recorded within. */
  readonly recorded: StatedRange;
}

const ofClearings = ({ userId, start, recorded, from, to }: RecordedRange) =>
  and(
    eq(cardClearings.userId, userId),
    sql`${cardClearings.kind} <> 'reversal'`,
    sql`${cardClearings.createdAt} >= ${recorded.from.toISOString()}::timestamptz`,
    lt(cardClearings.createdAt, recorded.to),
    sql`${statedAtIn(start)} >= ${from.toISOString()}::timestamptz`,
    sql`${statedAtIn(start)} < ${to.toISOString()}::timestamptz`,
  );

/** How many clearings count in a range of a month. */
export async function countClearings(on: Executor, range: RecordedRange): Promise<number> {
  const [row] = await on
    .select({ count: sql<string>`count(*)` })
    .from(cardClearings)
    .where(ofClearings(range));
  return Number(row?.count ?? 0);
}

/** When the clearing behind `place` others of a range counts; null where there are not so many. */
export async function findClearingAt(on: Executor, range: RecordedRange, place: number): Promise<Date | null> {
  const at = statedAtIn(range.start);
  const [row] = await on
    .select({ at: sql<Date>`${at}`.mapWith(cardClearings.postedAt) })
    .from(cardClearings)
    .where(ofClearings(range))
    .orderBy(at)
    .offset(place)
    .limit(1);
  return row?.at ?? null;
}
