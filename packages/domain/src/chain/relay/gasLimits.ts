/** The most gas of one transaction, by what it is for. A block has room for any of them. */

/** Code that no owner can change needs less: a batch of enqueues half of it, a deployment a third. */
export const knownCodeGasMax = 5_000_000n;

/** A set-up in the older way costs two thirds of it. Its Safe is the owner's until then, whose code could waste the rest on purpose. */
export const setUpGasMax = 2_000_000n;

/** Deployments that share a transaction cost less than a third of a block. */
export const sharedDeploymentGasMax = 8_000_000n;

/** A spend costs a seventh of it. The rest would be spent on an owner's code behind the Safe, which wastes it on purpose. */
export const spendGasMax = 1_000_000n;

/** A person's operation costs a tenth of it; the rest would be spent on contracts that waste it on purpose. */
export const operationGasMax = 2_000_000n;

/**
 * An entry that an owner queued past the service, in front of an operation. Its enqueue cost the owner a tenth of it. A dearer one
 * waits for another sender, or until it expires.
 */
export const foreignEntryGasMax = 500_000n;

/** Such an entry that uses more counts in its person's budget. A transfer of a token uses half of it. */
export const foreignEntryGasFree = 200_000n;

/**
 * Skipping expired entries is one loop of the module, about 2,300 gas for each entry, which its owner paid thirty times as much for. With
 * the margin it fits into a block. The module skips all or none: more than some 5,000 entries stay.
 */
export const skipGasMax = 12_000_000n;
