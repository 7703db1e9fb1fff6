/** Nonces and one-time passwords. */
import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../client.ts";
import { nonces, otps } from "../schema/tables.ts";

export async function insertNonce(on: Executor, row: typeof nonces.$inferInsert): Promise<void> {
  await on.insert(nonces).values(row);
}

/** Takes a nonce out of the world; true for exactly one caller, and only before it expires. */
export async function consumeNonce(db: Db, value: string, now: Date): Promise<boolean> {
  const taken = await db.delete(nonces).where(eq(nonces.value, value)).returning({ expiresAt: nonces.expiresAt });
  return taken.some((row) => row.expiresAt > now);
}

/** Serialises everything that concerns codes of one e-mail address until the transaction ends. */
export async function lockOtpAddress(tx: Tx, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`otp:${email}`}, 0))`);
}

/** When codes were sent to an address since `since`, newest first. */
export async function listOtpTimes(on: Executor, email: string, since: Date): Promise<Date[]> {
  const rows = await on
    .select({ createdAt: otps.createdAt })
    .from(otps)
    .where(and(eq(otps.email, email), gt(otps.createdAt, since)))
    .orderBy(desc(otps.createdAt));
  return rows.map((row) => row.createdAt);
}

export async function insertOtp(on: Executor, row: typeof otps.$inferInsert): Promise<void> {
  await on.insert(otps).values(row);
}

/**
 * Spends one try on the newest code of an address and returns its hash, or null when none is left to try.
 *
 * The try is spent whatever the caller finds, so that guesses in parallel count too.
 */
export async function takeOtpTry(db: Db, email: string, now: Date): Promise<{ id: string; codeHash: string } | null> {
  const newest = db
    .select({ id: otps.id })
    .from(otps)
    .where(eq(otps.email, email))
    .orderBy(desc(otps.createdAt))
    .limit(1);
  const [row] = await db
    .update(otps)
    .set({ triesLeft: sql`${otps.triesLeft} - 1` })
    .where(and(eq(otps.id, newest), gt(otps.triesLeft, 0), gt(otps.expiresAt, now)))
    .returning({ id: otps.id, codeHash: otps.codeHash });
  return row ?? null;
}

/** Uses a code up; true for exactly one caller. The row stays, because the address's sends are counted. */
export async function consumeOtp(tx: Tx, id: string, now: Date): Promise<boolean> {
  const used = await tx
    .update(otps)
    .set({ expiresAt: now, triesLeft: 0 })
    .where(and(eq(otps.id, id), gt(otps.expiresAt, now)))
    .returning({ id: otps.id });
  return used.length === 1;
}

/** Removes nonces and codes that nobody can use or count any more. */
export async function deleteExpiredCodes(db: Db, before: Date): Promise<void> {
  await db.delete(nonces).where(lt(nonces.expiresAt, before));
  await db.delete(otps).where(lt(otps.createdAt, before));
}
