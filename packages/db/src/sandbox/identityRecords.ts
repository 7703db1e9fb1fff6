/** Records of the sandbox's OpenID provider. */
import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { inParts } from "../many.ts";
import { identityRecords } from "./tables.ts";

export type IdentityRecord = typeof identityRecords.$inferSelect;

/** Keeps a record, in place of one of the same kind and id. */
export async function putIdentityRecord(on: Executor, row: typeof identityRecords.$inferInsert): Promise<void> {
  const { kind: _, id: __, ...rest } = row;
  const change = { grantId: null, uid: null, userCode: null, expiresAt: null, ...rest };
  await on
    .insert(identityRecords)
    .values(row)
    .onConflictDoUpdate({ target: [identityRecords.kind, identityRecords.id], set: change });
}

/** Keeps records unless there are some of their kinds and ids. */
export async function insertIdentityRecords(
  on: Executor,
  rows: readonly (typeof identityRecords.$inferInsert)[],
): Promise<void> {
  for (const part of inParts(rows)) await on.insert(identityRecords).values(part).onConflictDoNothing();
}

/** One record by its id, or by another name that it has. */
export async function findIdentityRecord(
  on: Executor,
  kind: string,
  by: { id: string } | { uid: string } | { userCode: string },
): Promise<IdentityRecord | null> {
  const isIt =
    "id" in by
      ? eq(identityRecords.id, by.id)
      : "uid" in by
        ? eq(identityRecords.uid, by.uid)
        : eq(identityRecords.userCode, by.userCode);
  const [row] = await on
    .select()
    .from(identityRecords)
    .where(and(eq(identityRecords.kind, kind), isIt))
    .limit(1);
  return row ?? null;
}

export async function listIdentityRecords(on: Executor, kind: string): Promise<IdentityRecord[]> {
  return on.select().from(identityRecords).where(eq(identityRecords.kind, kind)).orderBy(asc(identityRecords.id));
}

/** Marks a record as used, in seconds since 1970. */
export async function consumeIdentityRecord(on: Executor, kind: string, id: string, atSeconds: number): Promise<void> {
  await on
    .update(identityRecords)
    .set({ data: sql`${identityRecords.data} || jsonb_build_object('consumed', ${atSeconds}::int)` })
    .where(and(eq(identityRecords.kind, kind), eq(identityRecords.id, id)));
}

export async function deleteIdentityRecord(on: Executor, kind: string, id: string): Promise<void> {
  await on.delete(identityRecords).where(and(eq(identityRecords.kind, kind), eq(identityRecords.id, id)));
}

/** Deletes all that one grant gave. */
export async function deleteIdentityGrant(on: Executor, grantId: string): Promise<void> {
  await on.delete(identityRecords).where(eq(identityRecords.grantId, grantId));
}

/** Deletes the records of some kinds that name an account. */
export async function deleteIdentityAccount(on: Executor, kinds: readonly string[], accountId: string): Promise<void> {
  await on
    .delete(identityRecords)
    .where(and(inArray(identityRecords.kind, [...kinds]), sql`${identityRecords.data} ->> 'accountId' = ${accountId}`));
}

export async function deleteExpiredIdentityRecords(on: Executor, now: Date): Promise<void> {
  await on.delete(identityRecords).where(lt(identityRecords.expiresAt, now));
}
