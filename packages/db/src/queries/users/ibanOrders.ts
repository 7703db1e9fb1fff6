/** Orders of the e-money institution: what came in by IBANs, and the mint of each. */
import { and, asc, desc, eq, gte, inArray, isNull, lte, sql } from "drizzle-orm";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Executor, Tx } from "../../client.ts";
import { isNoneOf, isOneOf } from "../../schema/columns.ts";
import { ibanOrders, ibans } from "../../schema/tables.ts";
import { openIbanOrderStates } from "../../schema/users/ibans.ts";
import { isOwnProfile, unlessTaken } from "./ibans.ts";

export type IbanOrder = typeof ibanOrders.$inferSelect;

/** Money that moved, newest first, behind the order `after`, `limit` orders at most; of those that changed since an instant. */
export async function listIbanOrders(
  on: Executor,
  userId: string,
  {
    limit,
    updatedSince = null,
    after = null,
  }: { limit: number; updatedSince?: Date | null | undefined; after?: string | null | undefined },
): Promise<IbanOrder[]> {
  const { id, placedAt, reportedAt, updatedAt } = ibanOrders;
  const last = on
    .select({ placedAt, id })
    .from(ibanOrders)
    .where(and(eq(ibanOrders.userId, userId), eq(id, after ?? "")));
  return on
    .select()
    .from(ibanOrders)
    .where(
      and(
        eq(ibanOrders.userId, userId),
        after === null ? undefined : sql`(${placedAt}, ${id}) < (${last})`,
        // The institution's clock is not ours, and a report may come late.
        updatedSince === null ? undefined : gte(sql`greatest(${updatedAt}, ${reportedAt})`, updatedSince.toISOString()),
      ),
    )
    .orderBy(desc(ibanOrders.placedAt), desc(ibanOrders.id))
    .limit(limit);
}

/** The state of each of some orders that is stored, by its id, and when the institution reported it. */
export async function listIbanOrderStates(
  on: Executor,
  ids: readonly string[],
): Promise<Map<string, Pick<IbanOrder, "state" | "reportedAt" | "txHashes">>> {
  const { id, state, reportedAt, txHashes } = ibanOrders;
  const rows = await on
    .select({ id, state, reportedAt, txHashes })
    .from(ibanOrders)
    .where(sql`${id} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The oldest orders of a user that the institution has neither paid out nor rejected, `limit` at most. Those whose last report is from
 * before `lostBefore` are left out, where the person linked a profile that we did not make: nothing asks the institution how they ended.
 */
export async function listOpenIbanOrders(
  on: Executor,
  userId: string,
  { limit, lostBefore = null }: { limit: number; lostBefore?: Date | null },
): Promise<{ id: string }[]> {
  const { id, placedAt, state, reportedAt, updatedAt } = ibanOrders;
  const canEnd =
    lostBefore &&
    sql`(greatest(${updatedAt}, ${reportedAt}) >= ${lostBefore.toISOString()}
      or exists (select from ${ibans} where ${ibans.userId} = ${ibanOrders.userId} and ${isOwnProfile}))`;
  return on
    .select({ id })
    .from(ibanOrders)
    .where(and(eq(ibanOrders.userId, userId), isOneOf(state, openIbanOrderStates), canEnd ?? undefined))
    .orderBy(asc(placedAt), asc(id))
    .limit(limit);
}

/**
 * Writes a report of an order. False when a newer report is stored, or the order is another user's. One that says processed, and has
 * a date before its order, is of a comparison: it is newer than any of an open order.
 */
export async function upsertIbanOrder(tx: Tx, row: typeof ibanOrders.$inferInsert): Promise<boolean> {
  const { id: _, userId: __, ...change } = row;
  const written = await tx
    .insert(ibanOrders)
    .values(row)
    .onConflictDoUpdate({
      target: [ibanOrders.id, ibanOrders.institution],
      set: change,
      setWhere: sql`${ibanOrders.userId} = excluded.user_id
        and (${ibanOrders.reportedAt} <= excluded.reported_at
          or (excluded.state = 'processed' and excluded.reported_at < excluded.placed_at))
        and ${isNoneOf(ibanOrders.state, ["processed", "rejected"])}`,
    })
    .returning({ id: ibanOrders.id });
  return written.length === 1;
}

/**
 * Writes a later report of an order that was processed: what is known of it by now, or that it is rejected after all. Its amount and
 * accounts stay. Transactions that it names are looked for again where its mint was given up. Null when it is in another state, or
 * a newer report is stored.
 */
export async function updateProcessedOrder(tx: Tx, row: typeof ibanOrders.$inferInsert): Promise<IbanOrder | null> {
  const { id, userId, state, processedAt, rejectedReason, txHashes = [], reportedAt, updatedAt } = row;
  if (state !== "processed" && state !== "rejected") return null;
  const known = { state, rejectedReason, reportedAt, updatedAt, ...(processedAt && { processedAt }) };
  const [written] = await tx
    .update(ibanOrders)
    .set({ ...known, ...(txHashes.length > 0 && { txHashes, unmatchedAt: null }) })
    .where(
      and(
        eq(ibanOrders.id, id),
        eq(ibanOrders.userId, userId),
        isOneOf(ibanOrders.state, ["processed"]),
        lte(ibanOrders.reportedAt, reportedAt),
      ),
    )
    .returning();
  return written ?? null;
}

export async function findIbanOrder(on: Executor, id: string): Promise<IbanOrder | null> {
  const [row] = await on.select().from(ibanOrders).where(eq(ibanOrders.id, id)).limit(1);
  return row ?? null;
}

/** The incoming orders of some users that name a transaction. */
export async function listOrdersOfMints(
  on: Executor,
  hash: Hex,
  userIds: readonly string[],
): Promise<Pick<IbanOrder, "id" | "state" | "mintHash" | "mintIndex">[]> {
  const { id, state, mintHash, mintIndex } = ibanOrders;
  return on
    .select({ id, state, mintHash, mintIndex })
    .from(ibanOrders)
    .where(
      and(
        inArray(ibanOrders.userId, [...userIds]),
        eq(ibanOrders.kind, "issue"),
        sql`${ibanOrders.txHashes} @> ${JSON.stringify([hash])}::jsonb`,
      ),
    );
}

/** Ties an order to a mint; false when the mint is another order's. */
export async function matchIbanOrder(
  tx: Tx,
  id: string,
  { mintHash, mintIndex, updatedAt }: { mintHash: Hex; mintIndex: number; updatedAt: Date },
): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    const isFree = and(eq(ibanOrders.id, id), isNull(ibanOrders.mintHash));
    await savepoint.update(ibanOrders).set({ mintHash, mintIndex, updatedAt }).where(isFree);
    return true;
  });
}

/** Records that no mint is an order's. */
export async function setIbanOrderUnmatched(tx: Tx, id: string, unmatchedAt: Date): Promise<void> {
  await tx.update(ibanOrders).set({ unmatchedAt, updatedAt: unmatchedAt }).where(eq(ibanOrders.id, id));
}
