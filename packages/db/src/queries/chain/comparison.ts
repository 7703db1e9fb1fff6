/** The comparison of the queues on chain with the rows, and the entries of others that it found. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { and, eq, gt, gte, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../../client.ts";
import { inParts } from "../../many.ts";
import { prepareRow } from "../../rows.ts";
import { chainCursor, foreignEntries } from "../../schema/tables.ts";

/** The block up to which queues and rows were compared; null before the first time. */
export async function findComparedBlock(on: Executor, chainId: number): Promise<bigint | null> {
  const row = await selectCursor(on, { chainId });
  return row?.comparedBlock ?? null;
}

const selectCursor = prepareRow<"chainId", typeof chainCursor>(
  chainCursor,
  sql`where ${chainCursor.chainId} = ${sql.placeholder("chainId")}`,
);

/**
 * Records how far was compared, unless a reorganisation was noted since. A statement of its own: a commit that holds the row already
 * would wait for others that hold it, and they for it.
 */
export async function setComparedBlock(
  db: Db,
  chainId: number,
  { comparedBlock, reorganisations }: { comparedBlock: bigint; reorganisations: number },
): Promise<void> {
  await db
    .update(chainCursor)
    .set({ comparedBlock })
    .where(and(eq(chainCursor.chainId, BigInt(chainId)), eq(chainCursor.reorganisations, reorganisations)));
}

export type ForeignEntry = typeof foreignEntries.$inferInsert;

/** Writes entries of others, however many. Returns the new ones. */
export async function insertForeignEntries(tx: Tx, entries: readonly ForeignEntry[]): Promise<ForeignEntry[]> {
  const inserted: ForeignEntry[] = [];
  for (const part of inParts(entries))
    inserted.push(...(await tx.insert(foreignEntries).values(part).onConflictDoNothing().returning()));
  return inserted;
}

/** Deletes an entry that turned out to be one of ours. */
export async function deleteForeignEntry(
  tx: Tx,
  { delayAddress, queueNonce }: Pick<ForeignEntry, "delayAddress" | "queueNonce">,
): Promise<void> {
  await tx
    .delete(foreignEntries)
    .where(and(eq(foreignEntries.delayAddress, delayAddress), eq(foreignEntries.queueNonce, queueNonce)));
}

/** The transactions that enqueued the foreign entries, from a block on. */
export async function listForeignHashes(on: Executor, fromBlock: bigint): Promise<Hex[]> {
  const rows = await on
    .selectDistinct({ hash: foreignEntries.enqueuedHash })
    .from(foreignEntries)
    .where(gte(foreignEntries.enqueuedBlock, fromBlock));
  return rows.map(({ hash }) => hash);
}

/** Deletes the foreign entries after a block, and sets the compared block back to it. */
export async function rollBackComparison(tx: Tx, chainId: number, after: bigint): Promise<void> {
  await tx.delete(foreignEntries).where(gt(foreignEntries.enqueuedBlock, after));
  await tx
    .update(chainCursor)
    .set({ comparedBlock: sql`least(${chainCursor.comparedBlock}, ${after})` })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}
