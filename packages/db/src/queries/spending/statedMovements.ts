/**
 * The movements of an account within a statement.
 *
 * - named: an act of ours caused it: a card use, a withdrawal, a payment by the IBAN, an order. - unnamed: anybody's transfer. Strangers
 *   can send any number of them, so a statement may show their sums.
 */
import { and, asc, eq, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import {
  cardTransfers,
  delayTransactions,
  ibanOrders,
  movements,
  orderReturns,
  orders,
  safes,
} from "../../schema/tables.ts";
import type { Movement } from "../accounts/movements.ts";

export interface StatedAccount {
  readonly userId: string;
  readonly token: Movement["token"];
}

export interface StatedRange {
  readonly from: Date;
  readonly to: Date;
}

/** The unnamed movements of which a statement shows the sums of each day: none, those into the account that are small, or all. */
export type Summed = "none" | "small" | "all";

const safesOf = (userId: string): SQL => sql`(select ${safes.id} from ${safes} where ${safes.userId} = ${userId})`;

/** The movements of a user's Safes in one token. */
const ofAccount = ({ userId, token }: StatedAccount) =>
  and(sql`${movements.safeId} in ${safesOf(userId)}`, eq(movements.token, token));

const within = (account: StatedAccount, { from, to }: StatedRange) =>
  and(ofAccount(account), gte(movements.statedAt, from), lt(movements.statedAt, to));

/** Base units of a cent: a movement into the account below it is small. */
const isSmall = (cent: bigint): SQL =>
  sql`(${movements.amount} > 0 and ${movements.amount} < ${cent.toString()}::numeric)`;

/** Transactions of a user's acts. */
const namedHashes = (userId: string): SQL => sql`(
  select ${cardTransfers.hash} as hash from ${cardTransfers}
    where ${cardTransfers.safeId} in ${safesOf(userId)} and ${cardTransfers.userId} = ${userId} and ${cardTransfers.status} = 'DONE'
  union select ${ibanOrders.mintHash} from ${ibanOrders} where ${ibanOrders.userId} = ${userId}
  union select ${delayTransactions.executedHash} from ${delayTransactions} where ${delayTransactions.userId} = ${userId}
  union select ${orders.transactionHash} from ${orders} where ${orders.userId} = ${userId}
  union select ${orderReturns.hash} from ${orderReturns} where ${orderReturns.userId} = ${userId}) named`;

/** Condition: a movement of a range that stands alone. */
export function standsAlone(
  account: StatedAccount,
  range: StatedRange,
  { summed, cent }: { summed: Summed; cent: bigint },
): SQL | undefined {
  const isNamed = sql`${movements.hash} in (select named.hash from ${namedHashes(account.userId)})`;
  const alone = { none: undefined, small: sql`(${isNamed} or not ${isSmall(cent)})`, all: isNamed };
  return and(within(account, range), alone[summed]);
}

/** What a user's Safes held of a token before an instant, in base units. */
export async function sumMovements(on: Executor, account: StatedAccount, before: Date): Promise<bigint> {
  const [row] = await on
    .select({ sum: sql<string>`coalesce(sum(${movements.amount}), 0)` })
    .from(movements)
    .where(and(ofAccount(account), lt(movements.statedAt, before)));
  return BigInt(row?.sum ?? 0);
}

/** When the first movement of a user's Safes counts; null without any. */
export async function findFirstMovement(on: Executor, account: StatedAccount): Promise<Date | null> {
  const [row] = await on
    .select({ at: movements.statedAt })
    .from(movements)
    .where(ofAccount(account))
    .orderBy(asc(movements.statedAt))
    .limit(1);
  return row?.at ?? null;
}

/** How many movements a range has, and how many of them are small. */
export async function countMovements(
  on: Executor,
  account: StatedAccount,
  range: StatedRange,
  cent: bigint,
): Promise<{ all: number; small: number }> {
  const [row] = await on
    .select({
      all: sql<string>`count(*)`,
      small: sql<string>`count(*) filter (where ${isSmall(cent)})`,
    })
    .from(movements)
    .where(within(account, range));
  return { all: Number(row?.all ?? 0), small: Number(row?.small ?? 0) };
}

/** The movements of a range that stand alone, in their order, behind `after`. */
export async function listMovements(
  on: Executor,
  account: StatedAccount,
  {
    summed,
    cent,
    after,
    limit,
    ...range
  }: StatedRange & { summed: Summed; cent: bigint; after: Movement | null; limit: number },
): Promise<Movement[]> {
  const { statedAt, blockNumber, logIndex, safeId } = movements;
  const behind =
    after &&
    sql`(${statedAt}, ${blockNumber}, ${logIndex}, ${safeId}) > (${after.statedAt.toISOString()}::timestamptz,
      ${after.blockNumber.toString()}::bigint, ${after.logIndex}::integer, ${after.safeId})`;
  return on
    .select(getTableColumns(movements))
    .from(movements)
    .where(
      and(
        standsAlone(account, range, { summed, cent }),
        after ? gte(statedAt, after.statedAt) : undefined,
        behind ?? undefined,
      ),
    )
    .orderBy(asc(statedAt), asc(blockNumber), asc(logIndex), asc(safeId))
    .limit(limit);
}

/** What the summed movements of a day come to, into the account or out of it. */
export interface SummedMovements {
  readonly isIn: boolean;
  readonly amount: bigint;
  readonly count: number;
  /** When the last of them moved, and counts. */
  readonly at: Date;
  readonly statedAt: Date;
}

/** The sums of the movements that do not stand alone, by the days of a time zone. */
export async function sumUnnamed(
  on: Executor,
  account: StatedAccount,
  { summed, cent, zone, ...range }: StatedRange & { summed: Exclude<Summed, "none">; cent: bigint; zone: string },
): Promise<SummedMovements[]> {
  const day = sql`to_char(${movements.statedAt} at time zone ${zone}, 'YYYY-MM-DD')`;
  const isIn = sql<boolean>`${movements.amount} > 0`;
  const rows = await on
    .select({
      isIn,
      amount: sql<string>`sum(${movements.amount})`,
      count: sql<string>`count(*)`,
      at: sql<Date>`max(${movements.at})`.mapWith(movements.at),
      statedAt: sql<Date>`max(${movements.statedAt})`.mapWith(movements.statedAt),
    })
    .from(movements)
    .leftJoin(namedHashes(account.userId), sql`named.hash = ${movements.hash}`)
    .where(and(within(account, range), sql`named.hash is null`, summed === "small" ? isSmall(cent) : undefined))
    .groupBy(day, isIn)
    .orderBy(sql`max(${movements.statedAt})`, isIn);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), count: Number(row.count) }));
}
