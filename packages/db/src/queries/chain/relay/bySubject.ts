/** Relay transactions by the row that they serve. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, inArray } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import type { RelayPurpose, RelayStatus } from "../../../schema/chain/relayers.ts";
import { openRelays, relayAttempts, relaySubjects, relayTransactions } from "../../../schema/tables.ts";
import { listRelayAttempts, type RelayAttempt } from "./attempts.ts";
import type { RelayTransaction } from "./transactions.ts";

/** The relay transactions that serve a row, for one of these purposes. Their ids lead to their partitions. */
async function listServing(on: Executor, subjectId: string, purposes?: readonly RelayPurpose[]): Promise<string[]> {
  const isWanted = purposes && inArray(relaySubjects.purpose, [...purposes]);
  const rows = await on
    .select({ id: relaySubjects.relayTransactionId })
    .from(relaySubjects)
    .where(and(eq(relaySubjects.subjectId, subjectId), isWanted));
  return rows.map(({ id }) => id);
}

/** Every transaction for one subject in the order of its signing, each with its attempts, oldest first. */
export async function listRelayTransactions(
  on: Executor,
  subjectId: string,
): Promise<{ transaction: RelayTransaction; attempts: RelayAttempt[] }[]> {
  const ids = await listServing(on, subjectId);
  if (ids.length === 0) return [];
  const transactions = await on
    .select()
    .from(relayTransactions)
    .where(inArray(relayTransactions.id, ids))
    .orderBy(relayTransactions.createdAt, relayTransactions.nonce);
  const attempts = await on
    .select()
    .from(relayAttempts)
    .where(inArray(relayAttempts.relayTransactionId, ids))
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
    .select({ id: openRelays.relayTransactionId })
    .from(openRelays)
    .innerJoin(relaySubjects, eq(relaySubjects.relayTransactionId, openRelays.relayTransactionId))
    .where(and(eq(relaySubjects.subjectId, subjectId), inArray(openRelays.purpose, [...purposes])))
    .limit(1);
  return rows.length === 1;
}

/** Hash of a subject's newest transaction, with this calldata where given: the mined one, or else the one signed last. */
export async function findRelayHash(
  on: Executor,
  input: { subjectId: string; purposes: readonly RelayPurpose[]; data?: Hex | null },
): Promise<Hex | null> {
  const { subjectId, purposes, data } = input;
  const ids = await listServing(on, subjectId, purposes);
  if (ids.length === 0) return null;
  const [newest] = await on
    .select()
    .from(relayTransactions)
    .where(and(inArray(relayTransactions.id, ids), data ? eq(relayTransactions.data, data) : undefined))
    .orderBy(desc(relayTransactions.createdAt))
    .limit(1);
  if (!newest) return null;
  if (newest.minedHash) return newest.minedHash;
  const [attempt] = await listRelayAttempts(on, newest.id);
  return attempt?.hash ?? null;
}

/** How many transactions of some purposes were mined for a row, in some statuses. */
export async function countSettled(
  on: Executor,
  subjectId: string,
  { purposes, statuses }: { purposes: readonly RelayPurpose[]; statuses: readonly RelayStatus[] },
): Promise<number> {
  const ids = await listServing(on, subjectId, purposes);
  if (ids.length === 0) return 0;
  return on.$count(
    relayTransactions,
    and(inArray(relayTransactions.id, ids), inArray(relayTransactions.status, [...statuses])),
  );
}
