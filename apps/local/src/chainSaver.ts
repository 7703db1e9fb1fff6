/** Saves the state of a local chain soon after a transaction, so that a kill -9 loses next to nothing. */
import type { Hex } from "viem";

/** The part of a node that the saver asks. */
export interface SavedNode {
  getBlockNumber(): Promise<bigint>;
  getBlockTransactionCount(block: { blockNumber: bigint }): Promise<number>;
  dumpState(): Promise<Hex>;
}

const lookEveryMs = 250;
/** Empty blocks are saved this often: after a kill -9 the chain goes back by so many seconds at most. */
const idleSaveEveryMs = 30_000;
/** The node answers nothing else while it writes its state out, so saving takes a twentieth of its time at most. */
const restFactor = 20;
/** More new blocks than this are not looked at one by one. */
const blocksLookedAtMax = 50n;

/**
 * Saves a node's state within a second of a block with transactions, and each 30 s otherwise.
 *
 * A save that fails is made up for by a later one. `stop` resolves when no save is under way.
 */
export function startSaver(node: SavedNode, save: (state: Hex) => Promise<void>): { stop(): Promise<void> } {
  let seenBlock: bigint | null = null;
  // The first save has what came before the first look.
  let isChanged = true;
  let savedAtMs = performance.now();
  let restUntilMs = 0;
  let current: Promise<void> | null = null;

  const look = async (): Promise<void> => {
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
    // A dump is megabytes of text: left to itself the heap grows by 100 MB before it is looked at.
    Bun.gc(true);
    savedAtMs = performance.now();
    restUntilMs = savedAtMs + (savedAtMs - nowMs) * restFactor;
  };
  const timer = setInterval(() => {
    // The node may be about to end; its end is reported by the process that watches it.
    current ??= look()
      .catch(() => null)
      .then(() => void (current = null));
  }, lookEveryMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}

async function hasTransactions(node: SavedNode, after: bigint, head: bigint): Promise<boolean> {
  if (head - after > blocksLookedAtMax) return true;
  const numbers = Array.from({ length: Math.max(0, Number(head - after)) }, (_, index) => after + 1n + BigInt(index));
  const counts = await Promise.all(numbers.map((blockNumber) => node.getBlockTransactionCount({ blockNumber })));
  return counts.some((count) => count > 0);
}
