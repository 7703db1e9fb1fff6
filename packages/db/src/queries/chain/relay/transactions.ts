/** Relay transactions: one by one, with the rows that they serve. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { prepareStatement } from "../../../prepareStatement.ts";
import { insertIfNew, insertRow, prepareRow } from "../../../rows.ts";
import { isOpenRelay, openRelayStatuses } from "../../../schema/chain/relayers.ts";
import { relayNonces, relaySubjects, relayTransactions } from "../../../schema/tables.ts";

export type RelayTransaction = typeof relayTransactions.$inferSelect;
export type RelaySubject = Pick<typeof relaySubjects.$inferSelect, "subjectId" | "requestId">;

/** Whether a relay transaction is neither settled nor lost. */
export const isOpenRelayTransaction = (row: RelayTransaction): boolean => openRelayStatuses.includes(row.status);

/** Inserts a relay transaction, for its subject and for those that travel with it. */
export async function insertRelayTransaction(
  tx: Tx,
  row: typeof relayTransactions.$inferInsert,
  companions: readonly RelaySubject[],
): Promise<void> {
  await insertRow(tx, relayTransactions, row);
  const { subjectId, requestId, purpose } = row;
  const subjects = [{ subjectId, requestId }, ...companions];
  await tx
    .insert(relaySubjects)
    .values(subjects.map((subject) => ({ relayTransactionId: row.id, purpose, ...subject })));
}

/** The same where its nonce has no row yet; false, and nothing is written, where it has one. */
export async function insertRelayTransactionIfNew(
  tx: Tx,
  row: typeof relayTransactions.$inferInsert,
  companions: readonly RelaySubject[],
): Promise<boolean> {
  const { id: relayTransactionId, relayer, nonce } = row;
  if (!(await insertIfNew(tx, relayNonces, { relayer, nonce, relayTransactionId }))) return false;
  await insertRelayTransaction(tx, row, companions);
  return true;
}

/** The rows that a relay transaction serves, in the order in which they are to be locked. */
export async function listRelaySubjects(on: Executor, relayTransactionId: string): Promise<RelaySubject[]> {
  return [...(await on.execute<RelaySubject>(selectSubjects({ relayTransactionId })))];
}

const selectSubjects = prepareStatement<"relayTransactionId">(sql`
  select subject_id as "subjectId", request_id as "requestId" from ${relaySubjects}
  where ${relaySubjects.relayTransactionId} = ${sql.placeholder("relayTransactionId")} order by subject_id`);

export const findRelayTransaction = (on: Executor, id: string): Promise<RelayTransaction | null> =>
  selectTransaction(on, { id });

const isThis = sql`where ${relayTransactions.id} = ${sql.placeholder("id")}`;
const selectTransaction = prepareRow<"id", typeof relayTransactions>(relayTransactions, isThis);
const selectLocked = prepareRow<"id", typeof relayTransactions>(
  relayTransactions,
  sql`${isThis} and ${isOpenRelay} for no key update`,
);

/** The transaction that holds a nonce of a lane; null also after it was archived. */
export async function findRelayTransactionAt(
  on: Executor,
  relayer: Address,
  nonce: bigint,
): Promise<RelayTransaction | null> {
  const [known] = await on
    .select({ id: relayNonces.relayTransactionId })
    .from(relayNonces)
    .where(and(eq(relayNonces.relayer, relayer), eq(relayNonces.nonce, nonce)))
    .limit(1);
  return known ? findRelayTransaction(on, known.id) : null;
}

/** Locks a relay transaction that is not settled; null when it is. */
export const lockOpenRelayTransaction = (tx: Tx, id: string): Promise<RelayTransaction | null> =>
  selectLocked(tx, { id });

export async function updateRelayTransaction(
  tx: Tx,
  id: string,
  change: Partial<typeof relayTransactions.$inferInsert>,
): Promise<void> {
  await tx.update(relayTransactions).set(change).where(eq(relayTransactions.id, id));
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

/** The hash of the last transaction of ours that was mined before an instant; null without one. */
export async function findMinedBefore(on: Executor, at: Date): Promise<Hex | null> {
  const { minedHash, minedAt, blockNumber } = relayTransactions;
  const [row] = await on
    .select({ minedHash })
    .from(relayTransactions)
    .where(and(isNotNull(minedHash), isNotNull(blockNumber), lt(minedAt, at)))
    .orderBy(desc(blockNumber))
    .limit(1);
  return row?.minedHash ?? null;
}
