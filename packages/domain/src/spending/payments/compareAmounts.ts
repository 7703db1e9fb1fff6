/** The lesser of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The greater of two amounts. */
export const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** An amount, or zero where it is below zero. */
export const atLeastZero = (amount: bigint): bigint => greatest(amount, 0n);
