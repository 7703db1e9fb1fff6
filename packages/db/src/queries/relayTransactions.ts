/** Relay transactions and the attempts to get them mined. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { and, desc, eq, exists, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { insertRow, selectRows } from "../rows.ts";
import { relayAttempts, relaySubjects, relayTransactions } from "../schema/tables.ts";
import { openRelayStatuses, type RelayPurpose } from "../schema/relayers.ts";

export type RelayTransaction = typeof relayTransactions.$inferSelect;
export type RelaySubject = Pick<typeof relaySubjects.$inferSelect, "subjectId" | "requestId">;
export type RelayAttempt = typeof relayAttempts.$inferSelect;

/** Whether a relay transaction is still to be seen through, in SQL. */
export const isOpenRelay = inArray(relayTransactions.status, [...openRelayStatuses]);

/** The same of a row. */
export const isOpenRelayTransaction = (row: RelayTransaction): boolean => openRelayStatuses.includes(row.status);

/** Inserts a relay transaction, for its subject and for those that travel with it. */
export async function insertRelayTransaction(
  tx: Tx,
  row: typeof relayTransactions.$inferInsert,
  companions: readonly RelaySubject[],
): Promise<void> {
  await insertRow(tx, relayTransactions, row);
  const { subjectId, requestId } = row;
  const subjects = [{ subjectId, requestId }, ...companions];
  await tx.insert(relaySubjects).values(subjects.map((subject) => ({ relayTransactionId: row.id, ...subject })));
}

/** Whether a relay transaction serves a row. */
const serves = (subjectId: string) =>
  exists(
    sql`(select from ${relaySubjects} where ${relaySubjects.relayTransactionId} = ${relayTransactions.id} and ${relaySubjects.subjectId} = ${subjectId})`,
  );

/** The rows that a relay transaction serves, in the order in which they are to be locked. */
export async function listRelaySubjects(on: Executor, relayTransactionId: string): Promise<RelaySubject[]> {
  return on
    .select({ subjectId: relaySubjects.subjectId, requestId: relaySubjects.requestId })
    .from(relaySubjects)
    .where(eq(relaySubjects.relayTransactionId, relayTransactionId))
    .orderBy(relaySubjects.subjectId);
}

export async function insertRelayAttempt(tx: Tx, row: typeof relayAttempts.$inferInsert): Promise<void> {
  await tx.insert(relayAttempts).values(row);
}

export async function findRelayTransaction(on: Executor, id: string): Promise<RelayTransaction | null> {
  const [row] = await selectRows(on, relayTransactions, sql`where ${relayTransactions.id} = ${id}`);
  return row ?? null;
}

/** Locks a relay transaction that is not settled; null when it is. */
export async function lockOpenRelayTransaction(tx: Tx, id: string): Promise<RelayTransaction | null> {
  const [row] = await selectRows(
    tx,
    relayTransactions,
    sql`where ${relayTransactions.id} = ${id} and ${isOpenRelay} for update`,
  );
  return row ?? null;
}

/** Attempts of one relay transaction, newest first. */
export async function listRelayAttempts(on: Executor, relayTransactionId: string): Promise<RelayAttempt[]> {
  return on
    .select()
    .from(relayAttempts)
    .where(eq(relayAttempts.relayTransactionId, relayTransactionId))
    .orderBy(desc(relayAttempts.maxFeePerGas));
}

/** Notes that a node took an attempt, or what it said when it refused it; an earlier instant stays. */
export async function noteBroadcast(
  on: Executor,
  hash: Hex,
  { broadcastAt, refusal }: { broadcastAt: Date | null; refusal: string | null },
): Promise<void> {
  await on
    .update(relayAttempts)
    .set({ refusal, broadcastAt: sql`coalesce(${relayAttempts.broadcastAt}, ${broadcastAt?.toISOString() ?? null})` })
    .where(eq(relayAttempts.hash, hash));
}

/**
 * Whether an attempt that the node does not know is to be sent again now: after 1 s, then after twice as long each time
 * up to 16 s. It counts as sent from then on, by the database's own time.
 */
export async function beginResend(on: Executor, hash: Hex): Promise<boolean> {
  const wait = sql`least(power(2, ${relayAttempts.resends} - 1), 16) * interval '1 second'`;
  const rows = await on
    .update(relayAttempts)
    .set({ resentAt: sql`now()`, resends: sql`${relayAttempts.resends} + 1` })
    .where(and(eq(relayAttempts.hash, hash), sql`coalesce(${relayAttempts.resentAt} <= now() - ${wait}, true)`))
    .returning({ hash: relayAttempts.hash });
  return rows.length === 1;
}

/** Every transaction for one subject in the order of its signing, each with its attempts, oldest first. */
export async function listRelayTransactions(
  on: Executor,
  subjectId: string,
): Promise<{ transaction: RelayTransaction; attempts: RelayAttempt[] }[]> {
  const transactions = await on
    .select()
    .from(relayTransactions)
    .where(serves(subjectId))
    .orderBy(relayTransactions.createdAt, relayTransactions.nonce);
  const attempts = await on
    .select()
    .from(relayAttempts)
    .where(
      inArray(
        relayAttempts.relayTransactionId,
        transactions.map(({ id }) => id),
      ),
    )
    .orderBy(relayAttempts.createdAt, relayAttempts.maxFeePerGas);
  return transactions.map((transaction) => ({
    transaction,
    attempts: attempts.filter(({ relayTransactionId }) => relayTransactionId === transaction.id),
  }));
}

/** Whether a signed transaction for one of these purposes is under way for a subject. */
export async function hasOpenRelayTransaction(
  on: Executor,
  subjectId: string,
  purposes: readonly RelayPurpose[],
): Promise<boolean> {
  const rows = await on
    .select({ id: relayTransactions.id })
    .from(relayTransactions)
    .where(and(serves(subjectId), inArray(relayTransactions.purpose, [...purposes]), isOpenRelay))
    .limit(1);
  return rows.length === 1;
}

export async function updateRelayTransaction(
  tx: Tx,
  id: string,
  change: Partial<typeof relayTransactions.$inferInsert>,
): Promise<void> {
  await tx.update(relayTransactions).set(change).where(eq(relayTransactions.id, id));
}

/** The block in which a Safe was deployed; 0 when somebody else did it. */
export async function findDeploymentBlock(on: Executor, safeId: string): Promise<bigint> {
  const [row] = await on
    .select({ blockNumber: relayTransactions.blockNumber })
    .from(relayTransactions)
    .where(
      and(
        eq(relayTransactions.subjectId, safeId),
        inArray(relayTransactions.purpose, ["safe.deploy", "safe.create", "safe.setUp"]),
        eq(relayTransactions.status, "MINED"),
        isNull(relayTransactions.lostAt),
      ),
    )
    .orderBy(relayTransactions.blockNumber)
    .limit(1);
  return row?.blockNumber ?? 0n;
}

/** Hash of a subject's newest transaction, with this calldata where given: the mined one, or else the one signed last. */
export async function findRelayHash(
  on: Executor,
  input: { subjectId: string; purposes: readonly RelayPurpose[]; data?: Hex | null },
): Promise<Hex | null> {
  const { subjectId, purposes, data } = input;
  const [newest] = await on
    .select()
    .from(relayTransactions)
    .where(
      and(
        eq(relayTransactions.subjectId, subjectId),
        inArray(relayTransactions.purpose, [...purposes]),
        data ? eq(relayTransactions.data, data) : undefined,
      ),
    )
    .orderBy(desc(relayTransactions.createdAt))
    .limit(1);
  if (!newest) return null;
  if (newest.minedHash) return newest.minedHash;
  const [attempt] = await listRelayAttempts(on, newest.id);
  return attempt?.hash ?? null;
}

/** The first block that holds a transaction of ours; null while none does. */
export async function findFirstRelayedBlock(on: Executor): Promise<bigint | null> {
  const [row] = await on
    .select({ blockNumber: relayTransactions.blockNumber })
    .from(relayTransactions)
    .where(isNotNull(relayTransactions.blockNumber))
    .orderBy(relayTransactions.blockNumber)
    .limit(1);
  return row?.blockNumber ?? null;
}

/** The transaction that holds a nonce of a lane. */
export async function findRelayTransactionAt(
  on: Executor,
  relayer: Address,
  nonce: bigint,
): Promise<RelayTransaction | null> {
  const [row] = await on
    .select()
    .from(relayTransactions)
    .where(and(eq(relayTransactions.relayer, relayer), eq(relayTransactions.nonce, nonce)))
    .limit(1);
  return row ?? null;
}
