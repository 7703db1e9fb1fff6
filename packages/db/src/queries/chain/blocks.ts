/** Blocks that were seen, and how many reorganisations were noticed. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, gt, inArray, lt, lte, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { prepareRow } from "../../rows.ts";
import { chainBlocks, chainCursor } from "../../schema/tables.ts";

export interface SeenBlock {
  blockNumber: bigint;
  blockHash: Hex;
}

/** The followed blocks up to a number, newest first. */
export async function listFollowedBlocks(on: Executor, upTo: bigint): Promise<SeenBlock[]> {
  const { blockNumber, isFollowed } = chainBlocks;
  return on
    .select()
    .from(chainBlocks)
    .where(and(isFollowed, lte(blockNumber, upTo)))
    .orderBy(desc(blockNumber));
}

/** A block to record, and whether it is one of a look at the head. */
export interface NewSeenBlock extends SeenBlock {
  isFollowed: boolean;
}

/**
 * Inserts blocks that rows rest on, in ascending order, and deletes those before `oldest`. False when another block with one of
 * these numbers was seen: the caller writes nothing then.
 */
export async function insertSeenBlocks(
  tx: Tx,
  given: readonly NewSeenBlock[],
  oldest: bigint | null,
): Promise<boolean> {
  const { blockNumber } = chainBlocks;
  if (oldest !== null) await tx.delete(chainBlocks).where(lt(blockNumber, oldest));
  const blocks = given
    .filter((block) => oldest === null || block.blockNumber >= oldest)
    .toSorted((a, b) => (a.blockNumber < b.blockNumber ? -1 : 1));
  if (blocks.length === 0) return true;
  await tx.insert(chainBlocks).values(blocks).onConflictDoNothing();
  const asked = new Map(blocks.map((block) => [block.blockNumber, block]));
  const rows = await tx
    .select()
    .from(chainBlocks)
    .where(inArray(blockNumber, [...asked.keys()]));
  if (rows.length < asked.size || rows.some((row) => asked.get(row.blockNumber)?.blockHash !== row.blockHash))
    return false;
  const reached = rows.filter((row) => !row.isFollowed && asked.get(row.blockNumber)?.isFollowed);
  if (reached.length > 0)
    await tx
      .update(chainBlocks)
      .set({ isFollowed: true })
      .where(
        inArray(
          blockNumber,
          reached.map((row) => row.blockNumber),
        ),
      );
  return true;
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
  const row = await readCursor(on, { chainId });
  return row?.reorganisations ?? 0;
}

const isOfChain = sql`where ${chainCursor.chainId} = ${sql.placeholder("chainId")}`;
const readCursor = prepareRow<"chainId", typeof chainCursor>(chainCursor, isOfChain);
const shareCursor = prepareRow<"chainId", typeof chainCursor>(chainCursor, sql`${isOfChain} for share`);
const lockCursor = prepareRow<"chainId", typeof chainCursor>(chainCursor, sql`${isOfChain} for no key update`);

/**
 * The same, and locks the row: no reorganisation is recorded until the transaction ends. Who will record one locks it alone: two that
 * share it and then write it would wait for each other.
 */
export async function holdReorganisations(
  tx: Tx,
  { chainId, isAlone }: { chainId: number; isAlone: boolean },
): Promise<number> {
  const hold = isAlone ? lockCursor : shareCursor;
  const row = await hold(tx, { chainId });
  return row?.reorganisations ?? 0;
}

/** Records a reorganisation. Waits for every transaction that locked the row. */
export async function noteReorganisation(tx: Tx, chainId: number): Promise<void> {
  await tx
    .update(chainCursor)
    .set({ reorganisations: sql`${chainCursor.reorganisations} + 1` })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}
