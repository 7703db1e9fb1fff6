/** The most gas of one call, by what it is for. */

/** A person's operation costs a tenth of it; the rest would be spent on contracts that waste it on purpose. */
export const operationGasMax = 2_000_000n;

/**
 * Skipping expired entries is one loop of the module, about 2,300 gas for each entry, which its owner paid thirty times as much for. With
 * the margin it fits into a block.
 */
export const skipGasMax = 12_000_000n;
