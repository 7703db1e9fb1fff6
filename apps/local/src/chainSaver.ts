/** Saves the state of a local chain soon after a transaction, so that a kill -9 loses almost nothing. */
import type { Hex } from "viem";

/** The methods of a node that the saver needs. */
export interface SavedNode {
  getBlockNumber(): Promise<bigint>;
  getBlockTransactionCount(block: { blockNumber: bigint }): Promise<number>;
  dumpState(): Promise<Hex>;
}

const checkEveryMs = 250;
/** How often empty blocks are saved. After a kill -9 the chain goes back by at most this time. */
const idleSaveEveryMs = 30_000;
/** While the node writes its state it answers nothing else, so saving takes at most a twentieth of its time. */
const restFactor = 20;
/** With more new blocks than this the saver saves without reading each block. */
const blocksReadMax = 50n;

/**
 * Saves a node's state within a second of a block with transactions, and otherwise every 30 s.
 *
 * A later save makes up for a failed one. `stop` resolves when no save is running.
 */
export function startSaver(node: SavedNode, save: (state: Hex) => Promise<void>): { stop(): Promise<void> } {
  let seenBlock: bigint | null = null;
  // The first save covers the time before the first look.
  let isChanged = true;
  let savedAtMs = performance.now();
  let restUntilMs = 0;
  let current: Promise<void> | null = null;

  const check = async (): Promise<void> => {
    const head = await node.getBlockNumber();
    if (!isChanged) isChanged = await hasTransactions(node, seenBlock ?? head, head);
    seenBlock = head;
    const nowMs = performance.now();
    const isDue = isChanged || nowMs - savedAtMs >= idleSaveEveryMs;
    if (!isDue || nowMs < restUntilMs) return;
    isChanged = false;
    try {
      await save(await node.dumpState());
    } catch (error) {
      isChanged = true;
      throw error;
    }
    // A dump is megabytes of text. Without this the heap grows by 100 MB before it is collected.
    Bun.gc(true);
    savedAtMs = performance.now();
    restUntilMs = savedAtMs + (savedAtMs - nowMs) * restFactor;
  };
  const timer = setInterval(() => {
    // The node may be ending; the process that watches it reports that.
    current ??= check()
      .catch(() => null)
      .then(() => void (current = null));
  }, checkEveryMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}

async function hasTransactions(node: SavedNode, after: bigint, head: bigint): Promise<boolean> {
  if (head - after > blocksReadMax) return true;
  const numbers = Array.from({ length: Math.max(0, Number(head - after)) }, (_, index) => after + 1n + BigInt(index));
  const counts = await Promise.all(numbers.map((blockNumber) => node.getBlockTransactionCount({ blockNumber })));
  return counts.some((count) => count > 0);
}
