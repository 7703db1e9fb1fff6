import { findPath, hashLeaf } from "./merkle.ts";

/** That a posting is in the close of its day. */
export interface Proof {
  readonly day: string;
  readonly root: string;
  /** Postings of the day. */
  readonly count: number;
  readonly index: number;
  readonly leaf: string;
  /** Hashes beside the way to the root, lowest first, in hex. */
  readonly path: readonly string[];
}

/** Proofs of some postings of a closed day, by their places among its leaves. Pure. */
export function buildProof(
  { day, root, leaves }: { day: string; root: string; leaves: readonly string[] },
  indexes: readonly number[],
): Proof[] {
  const hashes = indexes.length === 0 ? [] : leaves.map(hashLeaf);
  return indexes.map((index) => ({
    day,
    root,
    count: leaves.length,
    index,
    leaf: leaves[index] ?? "",
    path: findPath(hashes, index),
  }));
}
