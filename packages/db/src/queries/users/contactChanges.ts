/** Changes of a mail address or phone number that an operator asked for. */
import { and, desc, eq, isNull } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { ContactChangeOutcome } from "../../schema/users/users.ts";
import { contactChanges } from "../../schema/tables.ts";

export type ContactChange = typeof contactChanges.$inferSelect;

const isOpen = isNull(contactChanges.endedAt);

export async function insertContactChange(tx: Tx, row: ContactChange): Promise<void> {
  await tx.insert(contactChanges).values(row);
}

/** A change by the hash of its link's token. */
export async function findContactChangeByToken(on: Executor, tokenHash: string): Promise<ContactChange | null> {
  const [row] = await on.select().from(contactChanges).where(eq(contactChanges.tokenHash, tokenHash)).limit(1);
  return row ?? null;
}

export async function findContactChange(on: Executor, id: string): Promise<ContactChange | null> {
  const [row] = await on.select().from(contactChanges).where(eq(contactChanges.id, id)).limit(1);
  return row ?? null;
}

/** The newest changes of a user, the newest first. */
export const listContactChanges = (on: Executor, userId: string, limit: number): Promise<ContactChange[]> =>
  on
    .select()
    .from(contactChanges)
    .where(eq(contactChanges.userId, userId))
    .orderBy(desc(contactChanges.createdAt))
    .limit(limit);

/** Writes an open change; false where it has ended, or is gone. */
export async function updateOpenContactChange(
  tx: Tx,
  id: string,
  change: { tokenHash: string } | { confirmedAt: Date } | { endedAt: Date; outcome: ContactChangeOutcome },
): Promise<boolean> {
  const rows = await tx
    .update(contactChanges)
    .set(change)
    .where(and(eq(contactChanges.id, id), isOpen))
    .returning({ id: contactChanges.id });
  return rows.length === 1;
}

/** Ends the open change of a user; null where there is none. */
export async function endOpenContactChange(
  tx: Tx,
  userId: string,
  ended: { endedAt: Date; outcome: ContactChangeOutcome },
): Promise<ContactChange | null> {
  const [row] = await tx
    .update(contactChanges)
    .set(ended)
    .where(and(eq(contactChanges.userId, userId), isOpen))
    .returning();
  return row ?? null;
}

/** The mail address that a user's first change of it since `changedAt` replaced; null without one. */
export async function findFormerEmail(on: Executor, userId: string, changedAt: Date): Promise<string | null> {
  const rows = await listContactChanges(on, userId, 20);
  const isSince = ({ kind, outcome, endedAt }: ContactChange) =>
    kind === "email" && outcome === "changed" && endedAt !== null && endedAt >= changedAt;
  return rows.findLast(isSince)?.former ?? null;
}
