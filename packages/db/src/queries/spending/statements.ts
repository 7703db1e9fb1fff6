/** What statements are made of, and the statements that were made. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { and, asc, eq, gte, inArray, lt, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../client.ts";
import {
  cardClearings,
  cardTransfers,
  delayTransactions,
  ibanOrders,
  orderReturns,
  orders,
  statements,
} from "../../schema/tables.ts";
import type { CardClearing } from "./payments.ts";

export type StoredStatement = typeof statements.$inferSelect;

export async function findStatement(on: Executor, userId: string, month: string): Promise<StoredStatement | null> {
  const isIt = and(eq(statements.userId, userId), eq(statements.month, month));
  const [row] = await on.select().from(statements).where(isIt);
  return row ?? null;
}

/** Stores a statement unless another process did, and answers the one that stands. */
export async function keepStatement(tx: Tx, row: StoredStatement): Promise<StoredStatement> {
  // The document may have megabytes: it is not sent back.
  const inserted = await tx.insert(statements).values(row).onConflictDoNothing().returning({ month: statements.month });
  const stored = inserted.length > 0 ? row : await findStatement(tx, row.userId, row.month);
  if (!stored) throw new Error("A statement was neither stored nor there");
  return stored;
}

/** Rows that name some transactions of a user, by what caused them. */
export async function listCauses(on: Executor, userId: string, hashes: readonly Hex[]) {
  const among = (column: Parameters<typeof inArray>[0]) =>
    sql`${column} in (select json_array_elements_text(${JSON.stringify(hashes)}::json))`;
  const [transfers, withdrawals, ibanPayments, paidOrders, returns] = await Promise.all([
    on
      .select()
      .from(cardTransfers)
      .where(and(eq(cardTransfers.userId, userId), among(cardTransfers.hash), eq(cardTransfers.status, "DONE")))
      .orderBy(asc(cardTransfers.sequence)),
    on
      .select()
      .from(delayTransactions)
      .where(and(eq(delayTransactions.userId, userId), among(delayTransactions.executedHash))),
    on
      .select()
      .from(ibanOrders)
      .where(and(eq(ibanOrders.userId, userId), among(ibanOrders.mintHash))),
    on
      .select()
      .from(orders)
      .where(and(eq(orders.userId, userId), among(orders.transactionHash))),
    on
      .select()
      .from(orderReturns)
      .where(and(eq(orderReturns.userId, userId), among(orderReturns.hash))),
  ]);
  return { transfers, withdrawals, ibanPayments, paidOrders, returns };
}

/** The clearings of some payments of a user, in the order of their dates. */
export const listClearingsOfPayments = async (
  on: Executor,
  userId: string,
  paymentIds: readonly string[],
): Promise<CardClearing[]> =>
  paymentIds.length === 0
    ? []
    : on
        .select()
        .from(cardClearings)
        .where(and(eq(cardClearings.userId, userId), inArray(cardClearings.paymentId, [...paymentIds])))
        .orderBy(asc(cardClearings.postedAt), asc(cardClearings.id));

/** The first transactions that paid some payments. */
export const listSpends = async (on: Executor, userId: string, paymentIds: readonly string[]) =>
  paymentIds.length === 0
    ? []
    : on
        .select({
          paymentId: cardTransfers.paymentId,
          hash: cardTransfers.hash,
          clearingId: cardTransfers.clearingId,
          direction: cardTransfers.direction,
        })
        .from(cardTransfers)
        .where(
          and(
            eq(cardTransfers.userId, userId),
            inArray(cardTransfers.paymentId, [...paymentIds]),
            eq(cardTransfers.status, "DONE"),
          ),
        )
        .orderBy(asc(cardTransfers.ordinal));

const isWithin = (column: PgColumn, { from, to }: { from: Date; to: Date }) => and(gte(column, from), lt(column, to));

/**
 * The clearings of a user that were recorded within a range, behind `after`: a date of the issuer's is not after its record. One of
 * both dates is within `stated`.
 */
export const listRecordedClearings = (
  on: Executor,
  userId: string,
  {
    from,
    to,
    stated,
    after,
    limit,
  }: { from: Date; to: Date; stated: { from: Date; to: Date }; after: CardClearing | null; limit: number },
): Promise<CardClearing[]> =>
  on
    .select()
    .from(cardClearings)
    .where(
      and(
        eq(cardClearings.userId, userId),
        sql`${cardClearings.kind} <> 'reversal'`,
        gte(cardClearings.createdAt, after?.createdAt ?? from),
        lt(cardClearings.createdAt, to),
        or(isWithin(cardClearings.postedAt, stated), isWithin(cardClearings.createdAt, stated)),
        after
          ? sql`(${cardClearings.createdAt}, ${cardClearings.id}) > (${after.createdAt.toISOString()}, ${after.id})`
          : undefined,
      ),
    )
    .orderBy(asc(cardClearings.createdAt), asc(cardClearings.id))
    .limit(limit);

/** Users behind an id whose account moved within a month that has no statement of theirs yet, in the order of their ids. */
export async function listUsersToState(
  on: Executor,
  month: string,
  { from, to }: { from: Date; to: Date },
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await on.execute<{ id: string }>(sql`
    select s.user_id as id from safes s join users u on u.id = s.user_id
    where s.token_symbol is not null and s.status = 'ok' and u.erased_at is null and s.user_id > ${after}
      and not exists (select from statements t where t.user_id = s.user_id and t.month = ${month})
      and exists (select from movements m where m.safe_id = s.id
        and m.stated_at >= ${from.toISOString()} and m.stated_at < ${to.toISOString()})
    order by 1 limit ${limit}`);
  return rows.map(({ id }) => id);
}
