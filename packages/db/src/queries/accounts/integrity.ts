/** Checked queue entries, and the violations among them. */
import { listOrigins, listUndoOrigins } from "@cardkeep/contract/core/machine";
import { entryPolicyVersion, violationMachine, type ViolationStatus } from "@cardkeep/contract/accounts/integrity";
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, gt, inArray, isNotNull, lt, max, ne, type SQL, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../../client.ts";
import { isAmong, inParts } from "../../many.ts";
import { isOneOf, spell } from "../../schema/columns.ts";
import { standingStatuses } from "../../schema/accounts/integrity.ts";
import { accountViolations, checkedBlocks, queueEntries, safes } from "../../schema/tables.ts";
import type { Safe } from "./safes.ts";
import { deleteMovementsAfter } from "./movements.ts";

export type CheckedEntry = typeof queueEntries.$inferInsert;
export type Violation = typeof accountViolations.$inferSelect;

export async function setCheckedBlock(tx: Tx, chainId: number, blockNumber: bigint): Promise<void> {
  await tx
    .insert(checkedBlocks)
    .values({ chainId: BigInt(chainId), blockNumber, policyVersion: entryPolicyVersion })
    .onConflictDoUpdate({ target: checkedBlocks.chainId, set: { blockNumber } });
}

/** Records that all entries are checked by the policy of now. */
export async function setPolicyVersion(tx: Tx, chainId: number): Promise<void> {
  await tx
    .update(checkedBlocks)
    .set({ policyVersion: entryPolicyVersion })
    .where(eq(checkedBlocks.chainId, BigInt(chainId)));
}

/** Delay modules with checked entries, in their order, after one of them; from the first with null. */
export async function listCheckedDelays(on: Executor, after: Address | null, limit: number): Promise<Address[]> {
  const rows = await on
    .selectDistinct({ delayAddress: queueEntries.delayAddress })
    .from(queueEntries)
    .where(after === null ? undefined : gt(queueEntries.delayAddress, after))
    .orderBy(queueEntries.delayAddress)
    .limit(limit);
  return rows.map(({ delayAddress }) => delayAddress);
}

/** Records that a checked entry is a violation. */
export async function setViolating(
  tx: Tx,
  { delayAddress, queueNonce }: Pick<CheckedEntry, "delayAddress" | "queueNonce">,
): Promise<void> {
  await tx
    .update(queueEntries)
    .set({ kind: null })
    .where(and(eq(queueEntries.delayAddress, delayAddress), eq(queueEntries.queueNonce, queueNonce)));
}

/** The Safes, of any status, whose Delay modules are among some addresses, in the order in which they are to be locked. */
export async function listSafesByDelay(on: Executor, addresses: readonly Address[]): Promise<Safe[]> {
  if (addresses.length === 0) return [];
  return on.select().from(safes).where(isAmong(safes.delayAddress, addresses)).orderBy(safes.id);
}

/** The newest checked entry of a Delay module's queue; null before the first. */
export async function findNewestEntry(on: Executor, delayAddress: Address): Promise<CheckedEntry | null> {
  const [row] = await on
    .select()
    .from(queueEntries)
    .where(eq(queueEntries.delayAddress, delayAddress))
    .orderBy(desc(queueEntries.queueNonce))
    .limit(1);
  return row ?? null;
}

/** How many entries of a queue are checked: those below this queue nonce. */
export async function countCheckedEntries(on: Executor, delayAddress: Address): Promise<bigint> {
  const [row] = await on
    .select({ newest: max(queueEntries.queueNonce) })
    .from(queueEntries)
    .where(eq(queueEntries.delayAddress, delayAddress));
  return row?.newest == null ? 0n : BigInt(row.newest) + 1n;
}

/** Inserts checked entries, however many; one that is known stays as it is. */
export async function insertCheckedEntries(tx: Tx, entries: readonly CheckedEntry[]): Promise<void> {
  for (const part of inParts(entries)) await tx.insert(queueEntries).values(part).onConflictDoNothing();
}

/** Inserts a violation; null when it was known. */
export async function insertViolation(tx: Tx, row: typeof accountViolations.$inferInsert): Promise<Violation | null> {
  const [inserted] = await tx.insert(accountViolations).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

export async function findViolation(on: Executor, id: string): Promise<Violation | null> {
  const [row] = await on.select().from(accountViolations).where(eq(accountViolations.id, id)).limit(1);
  return row ?? null;
}

/** Violations of a Safe that are not cleared, oldest first. */
export async function listViolations(on: Executor, safeId: string): Promise<Violation[]> {
  return on
    .select()
    .from(accountViolations)
    .where(and(eq(accountViolations.safeId, safeId), ne(accountViolations.status, "CLEARED")))
    .orderBy(accountViolations.blockNumber, accountViolations.queueNonce);
}

/** Whether an account was changed: a violation of it ran. */
export async function hasExecutedViolation(on: Executor, safeId: string): Promise<boolean> {
  const ran = await on
    .select({ id: accountViolations.id })
    .from(accountViolations)
    .where(and(eq(accountViolations.safeId, safeId), isOneOf(accountViolations.status, ["EXECUTED"])))
    .limit(1);
  return ran.length > 0;
}

/** Violations of a Safe that are recorded as queued, below a queue nonce, in the order of the queue. */
export async function listQueuedBefore(
  on: Executor,
  safeId: string,
  before: bigint,
): Promise<{ id: string; queueNonce: bigint; reason: string }[]> {
  const { id, queueNonce, reason } = accountViolations;
  const rows = await on
    .select({ id, queueNonce, reason })
    .from(accountViolations)
    .where(and(isQueuedOf(safeId), lt(queueNonce, before)))
    .orderBy(queueNonce);
  return rows.flatMap((row) => (row.queueNonce === null ? [] : { ...row, queueNonce: row.queueNonce }));
}

/** The violation of a Safe that is recorded as queued and leaves the queue first; null where none is. */
export async function findOldestQueued(on: Executor, safeId: string): Promise<Violation | null> {
  const [row] = await on
    .select()
    .from(accountViolations)
    .where(isQueuedOf(safeId))
    .orderBy(accountViolations.queueNonce)
    .limit(1);
  return row ?? null;
}

const isQueuedOf = (safeId: string): SQL | undefined =>
  and(eq(accountViolations.safeId, safeId), eq(accountViolations.status, "QUEUED"));

/** Moves a violation on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveViolation(
  tx: Tx,
  id: string,
  to: ViolationStatus,
  change: { endedBlock: bigint; updatedAt: Date },
): Promise<Violation | null> {
  const [row] = await tx
    .update(accountViolations)
    .set({ ...change, status: to })
    .where(and(eq(accountViolations.id, id), inArray(accountViolations.status, listOrigins(violationMachine, to))))
    .returning();
  return row ?? null;
}

/** Deletes the checks after a block. Returns the violations that wait in a queue again. */
export async function rollBackChecks(tx: Tx, chainId: number, after: bigint, now: Date): Promise<Violation[]> {
  await tx.delete(queueEntries).where(gt(queueEntries.blockNumber, after));
  await deleteMovementsAfter(tx, after);
  await tx.delete(accountViolations).where(gt(accountViolations.blockNumber, after));
  await tx
    .update(checkedBlocks)
    .set({ blockNumber: sql`least(${checkedBlocks.blockNumber}, ${after})` })
    .where(eq(checkedBlocks.chainId, BigInt(chainId)));
  return tx
    .update(accountViolations)
    .set({ status: "QUEUED", endedBlock: null, updatedAt: now })
    .where(
      and(
        gt(accountViolations.endedBlock, after),
        isNotNull(accountViolations.queueNonce),
        inArray(accountViolations.status, listUndoOrigins(violationMachine, "QUEUED")),
      ),
    )
    .returning();
}

/** How many accounts have a standing violation, by its status; each status has a row. */
export async function countChangedAccounts(db: Db): Promise<{ status: ViolationStatus; count: number }[]> {
  return db.execute<{ status: ViolationStatus; count: number }>(sql`
    select status, count(distinct safe_id)::int from unnest(array[${sql.raw(spell(standingStatuses))}]) as status
      left join (select status, safe_id from account_violations where status <> 'CLEARED') standing using (status)
    group by status order by status`);
}

/** Addresses of Safes with a standing violation, the newest first. */
export async function listChangedSafes(db: Db, limit: number): Promise<Address[]> {
  const rows = await db.execute<{ address: Address }>(sql`
    select address from safes join (select safe_id, max(seen_at) as seen_at from account_violations
      where status <> 'CLEARED' group by safe_id order by 2 desc limit ${limit}) changed on safe_id = safes.id
    order by seen_at desc`);
  return rows.map(({ address }) => address);
}
