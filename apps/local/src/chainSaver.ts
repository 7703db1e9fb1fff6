/** Saves the state of a local chain soon after a transaction, so that a kill -9 loses almost nothing. */
import type { Hex } from "viem";

/** The methods of a node that the saver needs. */
export interface SavedNode {
  getAutomine(): Promise<boolean>;
  getBlockNumber(): Promise<bigint>;
  dumpState(): Promise<Hex>;
  getTxpoolStatus(): Promise<{ pending: number }>;
  mine(mined: { blocks: number }): Promise<void>;
  setAutomine(isOn: boolean): Promise<void>;
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

/**
 * Saves a node's state at the next tick after `noteTransactions`, and otherwise every 30 s. A later save makes up for a failed one.
 *
 * The node lists its blocks first and its accounts then. A block in between would change accounts without being listed, and after a
 * restart its logs would be missing for ever. So transactions wait meanwhile, and a state counts only if no block came.
 */
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
        const state = await dumpWhole(node);
        if (state === null) {
          isChanged = true;
          return;
        }
        const dumpedAtMs = performance.now();
        restUntilMs = dumpedAtMs + (dumpedAtMs - nowMs) * restFactor;
        await save(state);
      } catch (error) {
        isChanged = true;
        throw error;
      }
      // A dump is megabytes of text. Without this the heap grows by 100 MB before it is collected.
      Bun.gc(true);
      savedAtMs = performance.now();
    },
    noteTransactions: () => {
      isChanged = true;
    },
  };
}

/** The node's state; null if a block came meanwhile, which was being mined already or which a client asked for. */
async function dumpWhole(node: SavedNode): Promise<Hex | null> {
  const isMining = await node.getAutomine();
  if (isMining) await node.setAutomine(false);
  try {
    const before = await node.getBlockNumber();
    const state = await node.dumpState();
    return (await node.getBlockNumber()) === before ? state : null;
  } finally {
    if (isMining) {
      await node.setAutomine(true);
      // The node mines for transactions that come from now on, not for those that wait.
      if ((await node.getTxpoolStatus()).pending > 0) await node.mine({ blocks: 1 });
    }
  }
}
