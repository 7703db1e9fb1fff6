/** Applicants of the sandbox's identity provider. */
import { eq, inArray } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { kycApplicants } from "./tables.ts";

export type KycApplicant = typeof kycApplicants.$inferSelect;

export async function findApplicantByUser(on: Executor, externalUserId: string): Promise<KycApplicant | null> {
  const [row] = await on.select().from(kycApplicants).where(eq(kycApplicants.externalUserId, externalUserId)).limit(1);
  return row ?? null;
}

export async function findApplicant(on: Executor, id: string): Promise<KycApplicant | null> {
  const [row] = await on.select().from(kycApplicants).where(eq(kycApplicants.id, id)).limit(1);
  return row ?? null;
}

/** The applicant of a user, made from `row` when there is none yet. */
export async function getOrInsertApplicant(tx: Tx, row: typeof kycApplicants.$inferInsert): Promise<KycApplicant> {
  await tx.insert(kycApplicants).values(row).onConflictDoNothing();
  const [found] = await tx
    .select()
    .from(kycApplicants)
    .where(eq(kycApplicants.externalUserId, row.externalUserId))
    .for("update");
  if (!found) throw new Error("The applicant was not written");
  return found;
}

/** Writes a new applicant; null where the user has one. */
export async function insertApplicant(tx: Tx, row: typeof kycApplicants.$inferInsert): Promise<KycApplicant | null> {
  const [made] = await tx.insert(kycApplicants).values(row).onConflictDoNothing().returning();
  return made ?? null;
}

export async function updateApplicant(
  tx: Tx,
  id: string,
  change: Partial<typeof kycApplicants.$inferInsert>,
): Promise<void> {
  await tx.update(kycApplicants).set(change).where(eq(kycApplicants.id, id));
}

/** The identity provider's applicants of some users. */
export async function listApplicants(on: Executor, userIds: readonly string[]): Promise<KycApplicant[]> {
  return on
    .select()
    .from(kycApplicants)
    .where(inArray(kycApplicants.externalUserId, [...userIds]));
}
