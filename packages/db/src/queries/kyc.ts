/** Applications at the identity provider, and its callbacks. */
import { eq } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { kycApplications, kycCallbacks } from "../schema/tables.ts";

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
