/**
 * Merkle trees as in RFC 6962, section 2.1: a leaf's hash is SHA-256 of a zero byte and its text, a node's that of a one byte
 * and its two children. All pure.
 */
import { createHash } from "node:crypto";

const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);

const hashOf = (...parts: readonly (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

export const hashLeaf = (text: string): Buffer => hashOf(leafPrefix, text);
const hashNode = (left: Buffer, right: Buffer): Buffer => hashOf(nodePrefix, left, right);

/** SHA-256 of a text in hex. */
export const digestOf = (text: string): string => hashOf(text).toString("hex");

/** A tree that grows: roots of its complete subtrees, largest first. `count` leaves have one for each 1 of its binary digits. */
export interface Frontier {
  readonly count: bigint;
  readonly roots: readonly string[];
}

export const emptyFrontier: Frontier = { count: 0n, roots: [] };

/** The tree with more leaves behind its last one. */
export function addLeaves({ count, roots }: Frontier, leaves: readonly string[]): Frontier {
  const stack: Buffer[] = roots.map((root) => Buffer.from(root, "hex"));
  let size = count;
  for (const leaf of leaves) {
    let node = hashLeaf(leaf);
    for (let rest = size; (rest & 1n) === 1n; rest >>= 1n) node = hashNode(stack.pop() ?? node, node);
    stack.push(node);
    size += 1n;
  }
  return { count: size, roots: stack.map((root) => root.toString("hex")) };
}

/** The root in hex; that of no leaves is the digest of the empty text. */
export function rootOf({ roots }: Frontier): string {
  const folded = roots
    .map((root) => Buffer.from(root, "hex"))
    .reduceRight<Buffer | null>((right, left) => (right === null ? left : hashNode(left, right)), null);
  return (folded ?? hashOf("")).toString("hex");
}

/** The largest power of two below a number of leaves. */
const splitOf = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1);

const treeOf = (hashes: readonly Buffer[]): Buffer => {
  const [first] = hashes;
  if (first === undefined) return hashOf("");
  if (hashes.length === 1) return first;
  const split = splitOf(hashes.length);
  return hashNode(treeOf(hashes.slice(0, split)), treeOf(hashes.slice(split)));
};

/** The audit path of a leaf: the hashes beside its way to the root, lowest first, in hex. */
export function findPath(hashes: readonly Buffer[], index: number): string[] {
  if (hashes.length <= 1) return [];
  const split = splitOf(hashes.length);
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return index < split
    ? [...findPath(left, index), treeOf(right).toString("hex")]
    : [...findPath(right, index - split), treeOf(left).toString("hex")];
}
