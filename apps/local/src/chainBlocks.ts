/** Empty blocks of a local chain, so that its time advances. */

/** The methods of a node that empty blocks need. */
export interface MiningNode {
  getBlockNumber(): Promise<bigint>;
  mine(input: { blocks: number }): Promise<unknown>;
}

export interface EmptyBlocks {
  /** Mines a block if one is due. It is called every `everySeconds`. */
  tick(): Promise<void>;
}

/** How long after another's block the chain is quiet. */
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
 * Mines a block every `everySeconds`, and every `quietEverySeconds` once only empty blocks of this function came for ten
 * minutes. The node keeps all blocks in memory, 4 KB each: a block a second takes 370 MB a day.
 */
export function createEmptyBlocks(
  node: MiningNode,
  { everySeconds, quietEverySeconds }: { everySeconds: number; quietEverySeconds: number },
): EmptyBlocks {
  let head: bigint | null = null;
  let [quietSeconds, blockSeconds] = [0, 0];
  return {
    tick: async () => {
      const number = await node.getBlockNumber();
      quietSeconds = number === head ? quietSeconds + everySeconds : 0;
      blockSeconds += everySeconds;
      head = number;
      if (quietSeconds >= quietAfterSeconds && blockSeconds < quietEverySeconds) return;
      await node.mine({ blocks: 1 });
      // A transaction's block in between makes the next head another one.
      head = number + 1n;
      blockSeconds = 0;
    },
  };
}
