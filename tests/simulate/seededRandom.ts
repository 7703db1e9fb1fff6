/** Random numbers of a simulated world: each stream gives the same numbers for the same seed. */
import { createHash } from "node:crypto";

export interface Stream {
  /** A whole number from 0 up to and without `below`. */
  below(below: number): number;
  /** True this often in a thousand. */
  perMille(count: number): boolean;
  bytes(count: number): Uint8Array;
}

/** Streams of one seed do not depend on each other: a draw more of one changes nothing of another. */
export function createStream(seed: number, name: string): Stream {
  let state = createHash("sha256").update(`${seed}/${name}`).digest().readUInt32LE(0);
  // mulberry32: https://github.com/cprosche/mulberry32
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (below) => Math.floor(draw() * below),
    perMille: (count) => draw() * 1000 < count,
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(draw() * 256)),
  };
}
