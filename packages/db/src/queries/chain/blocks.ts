/** Blocks that were seen, and how many reorganisations were noticed. */
import type { Hex } from "@cardkeep/contract/primitives";
import { desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { chainBlocks, chainCursor } from "../../schema/tables.ts";

export interface SeenBlock {
  blockNumber: bigint;
  blockHash: Hex;
}

/** The blocks seen up to a number, newest first. */
export async function listSeenBlocks(on: Executor, upTo: bigint): Promise<SeenBlock[]> {
  return on.select().from(chainBlocks).where(lte(chainBlocks.blockNumber, upTo)).orderBy(desc(chainBlocks.blockNumber));
}

/**
 * Inserts blocks and deletes those before `oldest`, in one statement. False when another block with one of these numbers was
 * seen: the caller writes nothing then.
 */
export async function insertSeenBlocks(tx: Tx, blocks: readonly SeenBlock[], oldest: bigint): Promise<boolean> {
  const deletion = tx.$with("gone").as(tx.delete(chainBlocks).where(lt(chainBlocks.blockNumber, oldest)));
  const { blockNumber, blockHash } = chainBlocks;
  const excluded = sql`excluded.block_hash`;
  const rows = await tx
    .with(deletion)
    .insert(chainBlocks)
    .values([...blocks])
    .onConflictDoUpdate({
      target: blockNumber,
      set: { blockHash: excluded },
      setWhere: sql`${blockHash} = ${excluded}`,
    })
    .returning({ blockNumber });
  return rows.length === blocks.length;
}

/** Inserts a block that rows are about to depend on. False when another block with this number was seen. */
export async function insertSeenBlock(tx: Tx, { blockNumber, blockHash }: SeenBlock): Promise<boolean> {
  await tx.insert(chainBlocks).values({ blockNumber, blockHash }).onConflictDoNothing();
  const [row] = await tx.select().from(chainBlocks).where(eq(chainBlocks.blockNumber, blockNumber));
  return row?.blockHash === blockHash;
}

/** Deletes the blocks after one. */
export async function deleteSeenBlocks(tx: Tx, after: bigint): Promise<void> {
  await tx.delete(chainBlocks).where(gt(chainBlocks.blockNumber, after));
}

/** Inserts the chain's row, if there is none. */
export async function insertChainCursor(on: Executor, chainId: number): Promise<void> {
  await on
    .insert(chainCursor)
    .values({ chainId: BigInt(chainId), reorganisations: 0 })
    .onConflictDoNothing();
}

/** How many reorganisations were noticed on a chain. */
export async function countReorganisations(on: Executor, chainId: number): Promise<number> {
  const [row] = await on
    .select()
    .from(chainCursor)
    .where(eq(chainCursor.chainId, BigInt(chainId)));
  return row?.reorganisations ?? 0;
}

/** The same, and locks the row: no reorganisation is recorded until the transaction ends. */
export async function holdReorganisations(tx: Tx, chainId: number): Promise<number> {
  const [row] = await tx
    .select()
    .from(chainCursor)
    .where(eq(chainCursor.chainId, BigInt(chainId)))
    .for("share");
  return row?.reorganisations ?? 0;
}

/** Records a reorganisation. Waits for every transaction that locked the row. */
export async function noteReorganisation(tx: Tx, chainId: number): Promise<void> {
  await tx
    .update(chainCursor)
    .set({ reorganisations: sql`${chainCursor.reorganisations} + 1` })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}
