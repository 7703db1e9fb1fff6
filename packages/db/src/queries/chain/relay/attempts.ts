/** Attempts of relay transactions: signed bytes, sent until one of them is mined. */
import { and, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { prepareRows } from "../../../rows.ts";
import { relayAttempts } from "../../../schema/tables.ts";

export type RelayAttempt = typeof relayAttempts.$inferSelect;

/** What names an attempt; the transaction leads to its partition. */
export type AttemptKey = Pick<RelayAttempt, "relayTransactionId" | "hash">;

const isAttempt = ({ relayTransactionId, hash }: AttemptKey) =>
  and(eq(relayAttempts.relayTransactionId, relayTransactionId), eq(relayAttempts.hash, hash));

export async function insertRelayAttempt(tx: Tx, row: typeof relayAttempts.$inferInsert): Promise<void> {
  await tx.insert(relayAttempts).values(row);
}

/** Adds an attempt unless it is known; false then. */
export async function insertRelayAttemptIfNew(tx: Tx, row: typeof relayAttempts.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(relayAttempts)
    .values(row)
    .onConflictDoNothing()
    .returning({ hash: relayAttempts.hash });
  return inserted.length === 1;
}

/** Attempts of one relay transaction, newest first. A newer one may have lower fees than an older one. */
export const listRelayAttempts = (on: Executor, relayTransactionId: string): Promise<RelayAttempt[]> =>
  selectAttempts(on, { relayTransactionId });

const { relayTransactionId: ofTransaction, createdAt, maxFeePerGas } = relayAttempts;
const selectAttempts = prepareRows<"relayTransactionId", typeof relayAttempts>(
  relayAttempts,
  sql`where ${ofTransaction} = ${sql.placeholder("relayTransactionId")} order by ${createdAt} desc, ${maxFeePerGas} desc`,
);

/** Notes that a node took an attempt, or what it said when it refused it; an earlier instant stays. */
export async function noteBroadcast(
  on: Executor,
  attempt: AttemptKey,
  { broadcastAt, refusal }: { broadcastAt: Date | null; refusal: string | null },
): Promise<void> {
  await on
    .update(relayAttempts)
    .set({ refusal, broadcastAt: sql`coalesce(${relayAttempts.broadcastAt}, ${broadcastAt?.toISOString() ?? null})` })
    .where(isAttempt(attempt));
}

/**
 * Whether an attempt that the node does not know is to be sent again now: after a second, then after twice as long each time,
 * doubled `doublingsMax` times at most. It counts as sent from then on, by the database's own time.
 */
export async function beginResend(on: Executor, attempt: AttemptKey, doublingsMax: number): Promise<boolean> {
  // The exponent is bounded, not the power: a node may refuse for hours, and the power would overflow.
  const wait = sql`power(2, least(${relayAttempts.resends} - 1, ${doublingsMax}::int)) * interval '1 second'`;
  const rows = await on
    .update(relayAttempts)
    .set({ resentAt: sql`now()`, resends: sql`${relayAttempts.resends} + 1` })
    .where(and(isAttempt(attempt), sql`coalesce(${relayAttempts.resentAt} <= now() - ${wait}, true)`))
    .returning({ hash: relayAttempts.hash });
  return rows.length === 1;
}
