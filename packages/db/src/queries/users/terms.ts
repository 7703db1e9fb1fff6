/** Versions of the terms, and who accepted which. */
import { asc, desc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { termsAcceptances, termsVersions } from "../../schema/tables.ts";

export type TermsAcceptance = typeof termsAcceptances.$inferSelect;
export type TermsVersion = typeof termsVersions.$inferSelect;

/** Every acceptance of a user, the newest first. */
export async function listTermsAcceptances(on: Executor, userId: string): Promise<TermsAcceptance[]> {
  const newest = [desc(termsAcceptances.acceptedAt), asc(termsAcceptances.type)];
  return on
    .select()
    .from(termsAcceptances)
    .where(eq(termsAcceptances.userId, userId))
    .orderBy(...newest);
}

/** Records an acceptance; false when this very version was accepted before. */
export async function insertTermsAcceptance(tx: Tx, row: typeof termsAcceptances.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(termsAcceptances)
    .values(row)
    .onConflictDoNothing()
    .returning({ type: termsAcceptances.type });
  return inserted.length === 1;
}

/** The newest version of each type that an operator published. */
export async function listNewestTerms(on: Executor): Promise<TermsVersion[]> {
  return on
    .selectDistinctOn([termsVersions.type])
    .from(termsVersions)
    .orderBy(termsVersions.type, desc(termsVersions.sequence));
}

/** Publishes a version; false where the type had it before. */
export async function insertTermsVersion(tx: Tx, row: typeof termsVersions.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(termsVersions)
    .values(row)
    .onConflictDoNothing()
    .returning({ type: termsVersions.type });
  return inserted.length === 1;
}
