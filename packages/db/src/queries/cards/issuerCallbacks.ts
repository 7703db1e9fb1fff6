/** Callbacks of the issuer, each once. */
import { and, desc, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong } from "../../many.ts";
import type { IssuerCallbackOutcome } from "../../schema/cards/cards.ts";
import { issuerCallbacks } from "../../schema/tables.ts";

export type IssuerCallbackRow = typeof issuerCallbacks.$inferSelect;

/** Remembers a callback of the issuer; false when it came before. */
export async function insertIssuerCallback(tx: Tx, row: typeof issuerCallbacks.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(issuerCallbacks)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: issuerCallbacks.id });
  return inserted.length === 1;
}

/** Which of these callbacks have come. */
export async function findKnownCallbacks(on: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { id } = issuerCallbacks;
  return new Set((await on.select({ id }).from(issuerCallbacks).where(isAmong(id, ids))).map((row) => row.id));
}

/** Callbacks, newest first; null leaves a condition out. `after` is the id of the last row of the page before. */
export const listIssuerCallbacks = (
  on: Executor,
  {
    outcome,
    type,
    after,
    limit,
  }: { outcome: IssuerCallbackOutcome | null; type: string | null; after: string | null; limit: number },
): Promise<IssuerCallbackRow[]> =>
  on
    .select()
    .from(issuerCallbacks)
    .where(
      and(
        outcome === null ? undefined : eq(issuerCallbacks.outcome, outcome),
        type === null ? undefined : eq(issuerCallbacks.type, type),
        after === null
          ? undefined
          : sql`(${issuerCallbacks.receivedAt}, ${issuerCallbacks.id}) < (select last.received_at, last.id from ${issuerCallbacks} last where last.id = ${after})`,
      ),
    )
    .orderBy(desc(issuerCallbacks.receivedAt), desc(issuerCallbacks.id))
    .limit(limit);
