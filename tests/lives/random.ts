/** A whole number from 0 up to and without `below`. */
export type Random = (below: number) => number;

/** Numbers that are the same for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
