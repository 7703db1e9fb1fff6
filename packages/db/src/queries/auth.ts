/** Nonces of sign-in messages. */
import { eq } from "drizzle-orm";
import type { Db, Executor } from "../client.ts";
import { nonces } from "../schema/tables.ts";

export async function insertNonce(on: Executor, row: typeof nonces.$inferInsert): Promise<void> {
  await on.insert(nonces).values(row);
}

/** Takes a nonce out of the world; true for exactly one caller, and only before it expires. */
export async function consumeNonce(db: Db, value: string, now: Date): Promise<boolean> {
  const taken = await db.delete(nonces).where(eq(nonces.value, value)).returning({ expiresAt: nonces.expiresAt });
  return taken.some((row) => row.expiresAt > now);
}
