/** Applications at the identity provider, and its callbacks. */
import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong } from "../../many.ts";
import { kycApplications, kycCallbacks, kycChecks } from "../../schema/tables.ts";

export type KycApplication = typeof kycApplications.$inferSelect;

/** Records a callback; false when the same one was recorded before. */
export async function insertKycCallback(tx: Tx, row: typeof kycCallbacks.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(kycCallbacks).values(row).onConflictDoNothing().returning({ id: kycCallbacks.id });
  return inserted.length === 1;
}

export async function findKycApplication(on: Executor, userId: string): Promise<KycApplication | null> {
  const [row] = await on.select().from(kycApplications).where(eq(kycApplications.userId, userId)).limit(1);
  return row ?? null;
}

export async function findKycApplicationByApplicant(tx: Tx, applicantId: string): Promise<KycApplication | null> {
  const [row] = await tx.select().from(kycApplications).where(eq(kycApplications.applicantId, applicantId)).limit(1);
  return row ?? null;
}

export async function upsertKycApplication(tx: Tx, row: typeof kycApplications.$inferInsert): Promise<void> {
  const { userId: _, ...change } = row;
  await tx.insert(kycApplications).values(row).onConflictDoUpdate({ target: kycApplications.userId, set: change });
}

/** Adds a person to the rotation who is not in it. */
export async function beginKycChecks(tx: Tx, row: typeof kycChecks.$inferInsert): Promise<void> {
  await tx.insert(kycChecks).values(row).onConflictDoNothing();
}

/** The same, and forgets when the provider last answered: the person may have begun since. */
export async function restartKycChecks(tx: Tx, row: { userId: string; dueAt: Date }): Promise<void> {
  await tx
    .insert(kycChecks)
    .values(row)
    .onConflictDoUpdate({ target: kycChecks.userId, set: { answeredAt: null } });
}

/** Adds a person to the rotation, or sets when the person's next check is due. */
export async function setKycCheck(tx: Tx, row: typeof kycChecks.$inferInsert): Promise<void> {
  const { userId: _, ...change } = row;
  await tx.insert(kycChecks).values(row).onConflictDoUpdate({ target: kycChecks.userId, set: change });
}

/** Ends a person's rotation. A later callback begins it again. */
export async function deleteKycCheck(tx: Tx, userId: string): Promise<void> {
  await tx.delete(kycChecks).where(eq(kycChecks.userId, userId));
}

/** The same, where the provider has answered since the rotation began. */
export async function deleteAnsweredKycCheck(tx: Tx, userId: string): Promise<boolean> {
  const isAnswered = and(eq(kycChecks.userId, userId), isNotNull(kycChecks.answeredAt));
  const deleted = await tx.delete(kycChecks).where(isAnswered).returning({ userId: kycChecks.userId });
  return deleted.length === 1;
}

/** Takes the people whose check is due, the longest overdue first, and makes their next check due at `nextAt`. */
export async function takeDueKycChecks(
  on: Executor,
  { now, nextAt, limit }: { now: Date; nextAt: Date; limit: number },
): Promise<string[]> {
  const due = on
    .select({ userId: kycChecks.userId })
    .from(kycChecks)
    .where(lte(kycChecks.dueAt, now))
    .orderBy(asc(kycChecks.dueAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  const taken = await on
    .update(kycChecks)
    .set({ dueAt: nextAt })
    .where(inArray(kycChecks.userId, due))
    .returning({ userId: kycChecks.userId });
  return taken.map(({ userId }) => userId);
}

/**
 * Makes checks due now that the provider has not answered since `since`: those among the next people behind a user. Answers the
 * last of these people.
 */
export async function hastenKycChecks(
  tx: Tx,
  { after, limit, since, now }: { after: string; limit: number; since: Date; now: Date },
): Promise<string | undefined> {
  const next = tx.select({ userId: kycChecks.userId }).from(kycChecks).where(gt(kycChecks.userId, after));
  const userIds = (await next.orderBy(asc(kycChecks.userId)).limit(limit)).map(({ userId }) => userId);
  const isUnanswered = or(isNull(kycChecks.answeredAt), lt(kycChecks.answeredAt, since));
  await tx
    .update(kycChecks)
    .set({ dueAt: now })
    .where(and(isAmong(kycChecks.userId, userIds), gt(kycChecks.dueAt, now), isUnanswered));
  return userIds.at(-1);
}

/** Whether the provider has answered about any person since an instant, or there is no person to ask about. */
export async function hasKycAnswer(on: Executor, since: Date): Promise<boolean> {
  const [row] = await on.execute<{ is: boolean }>(sql`
    select exists (select from ${kycChecks} where ${gte(kycChecks.answeredAt, since)})
      or not exists (select from ${kycChecks}) as is`);
  return row?.is === true;
}
