/** The lesser of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The greater of two amounts. */
export const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** An amount, or zero where it is below zero. */
export const atLeastZero = (amount: bigint): bigint => greatest(amount, 0n);

/** What disputes have returned of what a payment moved, or are about to. */
export const creditedOf = ({ credit, target }: { credit: bigint; target: bigint }): bigint =>
  atLeastZero(least(credit, target));
