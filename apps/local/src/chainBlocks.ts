/** Empty blocks of a local chain, so that its time advances. */

/** The method of a node that empty blocks need. */
export interface MiningNode {
  mine(input: { blocks: number }): Promise<unknown>;
}

export interface EmptyBlocks {
  /** Mines a block if one is due. It is called every `everySeconds`. */
  tick(): Promise<void>;
  /** A block with transactions came. */
  noteTransactions(): void;
}

/** How long after a block with transactions the chain is quiet. */
const quietAfterSeconds = 600;

/** As on Ethereum. */
const quietPauseSecondsMax = 12;

/**
 * Seconds between two empty blocks of a quiet chain. A card decision declines where the newest block is older than a third
 * of the cooldown.
 */
export const findQuietPause = (cooldownSeconds: number): number =>
  Math.min(Math.max(Math.floor(cooldownSeconds / 15), 1), quietPauseSecondsMax);

/**
 * Mines a block every `everySeconds`, and every `quietEverySeconds` after ten minutes without a block with transactions.
 * The node keeps all blocks in memory, 4 KB each: a block a second takes 370 MB a day.
 */
export function createEmptyBlocks(
  node: MiningNode,
  { everySeconds, quietEverySeconds }: { everySeconds: number; quietEverySeconds: number },
): EmptyBlocks {
  let [quietSeconds, blockSeconds] = [0, 0];
  return {
    tick: async () => {
      quietSeconds += everySeconds;
      blockSeconds += everySeconds;
      if (quietSeconds > quietAfterSeconds && blockSeconds < quietEverySeconds) return;
      await node.mine({ blocks: 1 });
      blockSeconds = 0;
    },
    noteTransactions: () => {
      quietSeconds = 0;
    },
  };
}
