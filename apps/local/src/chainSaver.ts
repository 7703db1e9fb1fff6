/** Saves the state of a local chain soon after a transaction, so that a kill -9 loses almost nothing. */
import type { Hex } from "viem";

/** The method of a node that the saver needs. */
export interface SavedNode {
  dumpState(): Promise<Hex>;
}

export interface Saver {
  /** Saves the state if that is due. */
  tick(): Promise<void>;
  /** A block with transactions came. */
  noteTransactions(): void;
}

/**
 * How often a state is saved that is not known to have changed: empty blocks came, or a block that was not announced. After a
 * kill -9 the chain goes back by at most this time.
 */
const idleSaveEveryMs = 30_000;
/** While the node writes its state it answers nothing else, so saving takes at most a twentieth of its time. */
const restFactor = 20;

/** Saves a node's state at the next tick after `noteTransactions`, and otherwise every 30 s. A later save makes up for a failed one. */
export function createSaver(node: SavedNode, save: (state: Hex) => Promise<void>): Saver {
  // The first save covers the time before the first announcement.
  let isChanged = true;
  let savedAtMs = performance.now();
  let restUntilMs = 0;
  return {
    tick: async () => {
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
    },
    noteTransactions: () => {
      isChanged = true;
    },
  };
}
