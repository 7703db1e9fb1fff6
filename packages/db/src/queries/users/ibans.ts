/** IBANs, what came in by them, and consents under way. */
import { ibanMachine, type IbanStatus } from "@cardkeep/contract/users/ibans";
import { listOrigins } from "@cardkeep/contract/core/machine";
import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { Executor, Tx } from "../../client.ts";
import { isUniqueViolation } from "../../errors.ts";
import { isNoneOf, isOneOf } from "../../schema/columns.ts";
import { archivedIbans, emoneyCallbacks, ibanOrders, ibans, oauthStates } from "../../schema/tables.ts";

export type Iban = typeof ibans.$inferSelect;
export type IbanOrder = typeof ibanOrders.$inferSelect;
export type OauthState = typeof oauthStates.$inferSelect;

export async function findIban(on: Executor, userId: string): Promise<Iban | null> {
  const [row] = await on.select().from(ibans).where(eq(ibans.userId, userId)).limit(1);
  return row ?? null;
}

/** The row whose profile at the institution this is, ours or the person's own. */
export async function findIbanByProfile(on: Executor, profileId: string): Promise<Iban | null> {
  const [row] = await on
    .select()
    .from(ibans)
    .where(or(eq(ibans.linkedProfileId, profileId), eq(ibans.profileId, profileId)))
    .limit(1);
  return row ?? null;
}

/** Keeps an IBAN that its person resets; the newest reset of the same one counts. */
export async function archiveIban(tx: Tx, row: typeof archivedIbans.$inferInsert): Promise<void> {
  const { iban, bic, archivedAt } = row;
  await tx
    .insert(archivedIbans)
    .values(row)
    .onConflictDoUpdate({
      target: [archivedIbans.userId, archivedIbans.profileId, archivedIbans.address],
      set: { iban, bic, archivedAt },
    });
}

/** The user who reset an IBAN of this profile, and the accounts that money arrives at by it; null for none. */
export async function findArchivedIban(
  on: Executor,
  profileId: string,
): Promise<{ userId: string; addresses: Address[] } | null> {
  const rows = await on.select().from(archivedIbans).where(eq(archivedIbans.profileId, profileId));
  const [first] = rows;
  return first ? { userId: first.userId, addresses: rows.map((row) => row.address) } : null;
}

/** Profiles that we made for people who have or await an IBAN, or who reset one, by user; `after`: behind this user. */
export async function listOwnProfiles(
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pick<Iban, "userId" | "profileId">[]> {
  const { userId, profileId } = ibans;
  const isArchived = sql`exists (select from ${archivedIbans} where ${archivedIbans.userId} = ${ibans.userId}
    and ${archivedIbans.profileId} = ${ibans.profileId})`;
  const isOwn = and(or(inArray(ibans.status, ["PENDING", "ASSIGNED"]), isArchived), isNull(ibans.linkedProfileId));
  return on
    .select({ userId, profileId })
    .from(ibans)
    .where(after === null ? isOwn : and(isOwn, gt(userId, after)))
    .orderBy(userId)
    .limit(limit);
}

/** The user's row, made from `row` when there is none; the user's row lock must be held. */
export async function getOrInsertIban(tx: Tx, row: typeof ibans.$inferInsert): Promise<Iban> {
  await tx.insert(ibans).values(row).onConflictDoNothing();
  const found = await findIban(tx, row.userId);
  if (!found) throw new Error("The IBAN's row was not written");
  return found;
}

type IbanChange = Omit<Partial<typeof ibans.$inferInsert>, "userId" | "id" | "status" | "profileId">;

/** Changes a row that stays in its state; false when another user has the IBAN or the profile. */
export async function updateIban(tx: Tx, userId: string, change: IbanChange): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    await savepoint.update(ibans).set(change).where(eq(ibans.userId, userId));
    return true;
  });
}

/** Moves a row on; false where the machine's table does not let it, or another user has the IBAN or the profile. */
export async function moveIban(tx: Tx, userId: string, to: IbanStatus, change: IbanChange): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    const moved = await savepoint
      .update(ibans)
      .set({ ...change, status: to })
      .where(and(eq(ibans.userId, userId), inArray(ibans.status, listOrigins(ibanMachine, to))))
      .returning({ id: ibans.id });
    return moved.length === 1;
  });
}

async function unlessTaken(tx: Tx, write: (savepoint: Tx) => Promise<boolean>): Promise<boolean> {
  try {
    return await tx.transaction(write);
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

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

/** Writes a report of an order. False when a newer report is stored, or the order is another user's. */
export async function upsertIbanOrder(tx: Tx, row: typeof ibanOrders.$inferInsert): Promise<boolean> {
  const { id: _, userId: __, ...change } = row;
  const written = await tx
    .insert(ibanOrders)
    .values(row)
    .onConflictDoUpdate({
      target: [ibanOrders.id, ibanOrders.institution],
      set: change,
      setWhere: sql`${ibanOrders.userId} = excluded.user_id and ${ibanOrders.reportedAt} <= excluded.reported_at
        and ${isNoneOf(ibanOrders.state, ["processed", "rejected"])}`,
    })
    .returning({ id: ibanOrders.id });
  return written.length === 1;
}

/**
 * Writes a later report of an order that was processed: what is known of it by now, or that it is rejected after all. Its amount and
 * accounts stay. Null when it is in another state, or a newer report is stored.
 */
export async function updateProcessedOrder(tx: Tx, row: typeof ibanOrders.$inferInsert): Promise<IbanOrder | null> {
  const { id, userId, state, processedAt, rejectedReason, txHashes = [], reportedAt, updatedAt } = row;
  if (state !== "processed" && state !== "rejected") return null;
  const known = { state, rejectedReason, reportedAt, updatedAt, ...(processedAt && { processedAt }) };
  const [written] = await tx
    .update(ibanOrders)
    .set({ ...known, ...(txHashes.length > 0 && { txHashes }) })
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

/** The users of accounts that money arrives at by an IBAN, also by one that was reset. */
export async function listIbanHolders(on: Executor, addresses: readonly Address[]): Promise<Map<Address, string>> {
  const asked = sql`(select json_array_elements_text(${JSON.stringify(addresses)}::json))`;
  const [kept, present] = await Promise.all([
    on
      .select()
      .from(archivedIbans)
      .where(sql`${archivedIbans.address} in ${asked}`),
    on
      .select()
      .from(ibans)
      .where(and(isNotNull(ibans.iban), sql`${ibans.address} in ${asked}`)),
  ]);
  return new Map(
    [...kept, ...present].flatMap(({ address, userId }) => (address === null ? [] : [[address, userId] as const])),
  );
}

/** The incoming orders of some users that name a transaction. */
export async function listOrdersOfMints(
  on: Executor,
  hash: Hex,
  userIds: readonly string[],
): Promise<Pick<IbanOrder, "id" | "mintIndex">[]> {
  const { id, mintIndex } = ibanOrders;
  return on
    .select({ id, mintIndex })
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
  { mintHash, mintIndex }: { mintHash: Hex; mintIndex: number },
): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    const isFree = and(eq(ibanOrders.id, id), isNull(ibanOrders.mintHash));
    await savepoint.update(ibanOrders).set({ mintHash, mintIndex }).where(isFree);
    return true;
  });
}

/** Records that no mint is an order's. */
export async function setIbanOrderUnmatched(tx: Tx, id: string, unmatchedAt: Date): Promise<void> {
  await tx.update(ibanOrders).set({ unmatchedAt }).where(eq(ibanOrders.id, id));
}

/** Records a callback; false when the same one was recorded before. */
export async function insertEmoneyCallback(tx: Tx, row: typeof emoneyCallbacks.$inferInsert): Promise<boolean> {
  const written = await tx.insert(emoneyCallbacks).values(row).onConflictDoNothing().returning();
  return written.length === 1;
}

export async function insertOauthState(tx: Tx, row: typeof oauthStates.$inferInsert): Promise<void> {
  await tx.insert(oauthStates).values(row);
}

/** The consent under way that a state names; null when it is unknown, used or too old. */
export async function findOauthState(on: Executor, stateHash: string, now: Date): Promise<OauthState | null> {
  const [row] = await on
    .select()
    .from(oauthStates)
    .where(and(eq(oauthStates.stateHash, stateHash), gt(oauthStates.expiresAt, now)))
    .limit(1);
  return row ?? null;
}

/** Takes a state out, so that it serves once; null when it is unknown, used or too old. */
export async function consumeOauthState(on: Executor, stateHash: string, now: Date): Promise<OauthState | null> {
  const [row] = await on
    .delete(oauthStates)
    .where(and(eq(oauthStates.stateHash, stateHash), gt(oauthStates.expiresAt, now)))
    .returning();
  return row ?? null;
}

export async function deleteOauthStates(tx: Tx, userId: string): Promise<void> {
  await tx.delete(oauthStates).where(eq(oauthStates.userId, userId));
}
