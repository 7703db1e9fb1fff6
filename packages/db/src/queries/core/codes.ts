/** Sent codes with their remaining tries, and the nonces of sign-in messages. */
import { and, desc, eq, gt, gte, or, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../../client.ts";
import { type CodePurpose, codes } from "../../schema/core/codes.ts";
import { nonces } from "../../schema/tables.ts";

export interface CodeRoute {
  purpose: CodePurpose;
  subject: string;
  receiver: string;
}

/** Serialises everything that is sent for one subject or to one receiver until the transaction ends. */
export async function lockCodes(tx: Tx, { purpose, subject, receiver }: CodeRoute): Promise<void> {
  // Always in the same order, or two requests could wait for each other.
  for (const name of [...new Set([subject, receiver])].toSorted()) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`code:${purpose}:${name}`}, 0))`);
  }
}

/** When codes were sent for a subject or to a receiver after `since`, newest first. */
export async function listCodeTimes(tx: Tx, { purpose, subject, receiver }: CodeRoute, since: Date): Promise<Date[]> {
  const rows = await tx
    .select({ createdAt: codes.createdAt })
    .from(codes)
    .where(
      and(
        eq(codes.purpose, purpose),
        or(eq(codes.subject, subject), eq(codes.receiver, receiver)),
        gt(codes.createdAt, since),
      ),
    )
    .orderBy(desc(codes.createdAt));
  return rows.map((row) => row.createdAt);
}

export async function insertCode(tx: Tx, row: typeof codes.$inferInsert): Promise<void> {
  await tx.insert(codes).values(row);
}

/** When a code was made; null where there is none of this id. */
export async function findCodeTime(tx: Tx, id: string): Promise<Date | null> {
  const [row] = await tx.select({ createdAt: codes.createdAt }).from(codes).where(eq(codes.id, id));
  return row?.createdAt ?? null;
}

const withdrawn = -1;

/** Lets the code before this one count again. The row stays, because it counts as sent. */
export async function withdrawCode(tx: Tx, id: string): Promise<void> {
  await tx.update(codes).set({ triesLeft: withdrawn }).where(eq(codes.id, id));
}

/** Forgets a code that was not sent, as one that was never made. */
export async function deleteCode(tx: Tx, id: string): Promise<void> {
  await tx.delete(codes).where(eq(codes.id, id));
}

export async function renameCode(tx: Tx, id: string, newId: string): Promise<void> {
  await tx.update(codes).set({ id: newId }).where(eq(codes.id, id));
}

/**
 * Spends one try on the newest code of a subject, without the withdrawn ones, and returns its hash, or null when none is left to try.
 *
 * The try is spent whether the code matches or not, so that parallel guesses count too.
 */
export async function takeCodeTry(
  db: Db,
  purpose: CodePurpose,
  subject: string,
  now: Date,
): Promise<{ id: string; codeHash: string } | null> {
  const newest = db
    .select({ id: codes.id })
    .from(codes)
    .where(and(eq(codes.purpose, purpose), eq(codes.subject, subject), gte(codes.triesLeft, 0)))
    .orderBy(desc(codes.createdAt), desc(codes.id))
    .limit(1);
  const [row] = await db
    .update(codes)
    .set({ triesLeft: sql`${codes.triesLeft} - 1` })
    .where(and(eq(codes.id, newest), gt(codes.triesLeft, 0), gt(codes.expiresAt, now)))
    .returning({ id: codes.id, codeHash: codes.codeHash });
  return row ?? null;
}

/** Whether the newest code of a subject, without the withdrawn ones, went to this receiver and may still be tried. */
export async function hasLiveCode(
  on: Executor,
  { purpose, subject, receiver }: CodeRoute,
  now: Date,
): Promise<boolean> {
  const [newest] = await on
    .select()
    .from(codes)
    .where(and(eq(codes.purpose, purpose), eq(codes.subject, subject), gte(codes.triesLeft, 0)))
    .orderBy(desc(codes.createdAt), desc(codes.id))
    .limit(1);
  return newest !== undefined && newest.receiver === receiver && newest.triesLeft > 0 && newest.expiresAt > now;
}

/** Uses a code up; true for exactly one caller. The row stays, because sends are counted. */
export async function consumeCode(tx: Tx, id: string, now: Date): Promise<boolean> {
  const used = await tx
    .update(codes)
    .set({ expiresAt: now, triesLeft: 0 })
    .where(and(eq(codes.id, id), gt(codes.expiresAt, now)))
    .returning({ id: codes.id });
  return used.length === 1;
}

export async function insertNonce(on: Executor, row: typeof nonces.$inferInsert): Promise<void> {
  await on.insert(nonces).values(row);
}

/** Deletes a nonce. True for exactly one caller, and only before the nonce expires. */
export async function consumeNonce(db: Db, value: string, now: Date): Promise<boolean> {
  const taken = await db.delete(nonces).where(eq(nonces.value, value)).returning({ expiresAt: nonces.expiresAt });
  return taken.some((row) => row.expiresAt > now);
}
