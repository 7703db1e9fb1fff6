/** Relay transactions by the row that they serve. */
import type { Hex } from "@cardkeep/contract/primitives";
import { and, desc, eq, exists, inArray, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isOpenRelay, type RelayPurpose } from "../../schema/relayers.ts";
import { relayAttempts, relaySubjects, relayTransactions } from "../../schema/tables.ts";
import { listRelayAttempts, type RelayAttempt } from "./attempts.ts";
import type { RelayTransaction } from "./transactions.ts";

/** Whether a relay transaction serves a row. */
const serves = (subjectId: string) =>
  exists(
    sql`(select from ${relaySubjects} where ${relaySubjects.relayTransactionId} = ${relayTransactions.id} and ${relaySubjects.subjectId} = ${subjectId})`,
  );

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
