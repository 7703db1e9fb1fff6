/** Verified identities, records of erased people, and legal holds. */
import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { IdentityReceiver } from "../../schema/users/records.ts";
import { identityVersions, legalHolds, personKeys, restrictedRecords } from "../../schema/tables.ts";

export type IdentityVersion = typeof identityVersions.$inferSelect;
export type LegalHold = typeof legalHolds.$inferSelect;

/** A person's sealed key; null where none was made, or it is destroyed. */
export async function findPersonKey(on: Executor, userId: string): Promise<string | null> {
  const [row] = await on.select().from(personKeys).where(eq(personKeys.userId, userId)).limit(1);
  return row?.sealedKey ?? null;
}

/** The user's row lock must be held. */
export async function insertPersonKey(tx: Tx, row: typeof personKeys.$inferInsert): Promise<void> {
  await tx.insert(personKeys).values(row);
}

export async function insertIdentityVersion(tx: Tx, row: typeof identityVersions.$inferInsert): Promise<void> {
  await tx.insert(identityVersions).values(row);
}

export async function countIdentityVersions(on: Executor, userId: string): Promise<number> {
  const [row] = await on
    .select({ versions: count() })
    .from(identityVersions)
    .where(eq(identityVersions.userId, userId));
  return row?.versions ?? 0;
}

/** Records that a partner receives the newest version of a person's identity; the first time of each version counts. */
export async function addIdentityReceiver(
  on: Executor,
  { userId, receiver, at }: { userId: string; receiver: IdentityReceiver; at: Date },
): Promise<void> {
  const newest = sql`(select id from ${identityVersions} where user_id = ${userId} order by recorded_at desc, id desc limit 1)`;
  await on
    .update(identityVersions)
    .set({
      disclosedTo: sql`${identityVersions.disclosedTo} || jsonb_build_object(${receiver}::text, ${at.toISOString()}::text)`,
    })
    .where(and(sql`${identityVersions.id} = ${newest}`, sql`${identityVersions.disclosedTo} -> ${receiver} is null`));
}

/** Takes a receiver that was recorded at an instant back from the versions of a person's identity: it has received nothing. */
export async function removeIdentityReceiver(
  on: Executor,
  { userId, receiver, at }: { userId: string; receiver: IdentityReceiver; at: Date },
): Promise<void> {
  const { disclosedTo } = identityVersions;
  await on
    .update(identityVersions)
    .set({ disclosedTo: sql`${disclosedTo} - ${receiver}::text` })
    .where(and(eq(identityVersions.userId, userId), sql`${disclosedTo} ->> ${receiver} = ${at.toISOString()}`));
}

/** The versions of a person's verified identity, oldest first. */
export const listIdentityVersions = (on: Executor, userId: string): Promise<IdentityVersion[]> =>
  on
    .select()
    .from(identityVersions)
    .where(eq(identityVersions.userId, userId))
    .orderBy(asc(identityVersions.recordedAt));

/** Writes what stays of an erased person; a class that is written already stays as it is. */
export async function insertRestrictedRecord(tx: Tx, row: typeof restrictedRecords.$inferInsert): Promise<void> {
  await tx.insert(restrictedRecords).values(row).onConflictDoNothing();
}

/** What stays of an erased person, and until when. */
export const listRestrictedRecords = (on: Executor, userId: string) =>
  on
    .select()
    .from(restrictedRecords)
    .where(eq(restrictedRecords.userId, userId))
    .orderBy(restrictedRecords.recordClass);

/** Dates the end of an erased person's identity and key; dates that are set stay. */
export async function endIdentity(
  tx: Tx,
  userId: string,
  { identityUntil, keyUntil }: { identityUntil: Date; keyUntil: Date },
): Promise<void> {
  const isUndated = and(eq(identityVersions.userId, userId), isNull(identityVersions.until));
  await tx.update(identityVersions).set({ until: identityUntil }).where(isUndated);
  await tx
    .update(personKeys)
    .set({ until: keyUntil })
    .where(and(eq(personKeys.userId, userId), isNull(personKeys.until)));
}

/** The open hold about a person. */
export async function findLegalHold(on: Executor, userId: string): Promise<LegalHold | null> {
  const [row] = await on
    .select()
    .from(legalHolds)
    .where(and(eq(legalHolds.userId, userId), isNull(legalHolds.liftedAt)))
    .limit(1);
  return row ?? null;
}

/** Inserts a hold; false where one is open. */
export async function insertLegalHold(tx: Tx, row: typeof legalHolds.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(legalHolds).values(row).onConflictDoNothing().returning({ id: legalHolds.id });
  return inserted.length === 1;
}

/** Lifts the open hold about a person; null where none is open. */
export async function liftLegalHold(
  tx: Tx,
  userId: string,
  lifted: { liftedAt: Date; liftedBy: string },
): Promise<LegalHold | null> {
  const isOpen = and(eq(legalHolds.userId, userId), isNull(legalHolds.liftedAt));
  const [row] = await tx.update(legalHolds).set(lifted).where(isOpen).returning();
  return row ?? null;
}
