import { findAction, findChainHead, readActions } from "@cardkeep/db/queries/operators/actionLists";
import type { ChainHead, OperatorAction } from "@cardkeep/db/queries/operators/actions";
import { readSnapshot } from "@cardkeep/db/readSnapshot";
import type { Db } from "@cardkeep/db/client";
import { hashAction } from "./hashAction.ts";

/** A place where the log is not as it was written. */
export interface ActionFault {
  /** Of the row that shows it. */
  sequence: number;
  text: string;
}

export interface ActionVerification {
  /** Rows that were read and whose hashes were recomputed. */
  verified: number;
  /** The first of them; 1 unless a bound was given. */
  from: number;
  /** The end of the log: keep it elsewhere, and give the hash to a later verification. */
  head: { sequence: number; hash: string };
  /** Empty for a whole chain; the first hundred. */
  faults: ActionFault[];
}

const faultsMax = 100;
const progressRows = 500;

/** What precedes the first action. */
const beginning: ChainHead = { sequence: 0n, hash: "0".repeat(64) };

/**
 * Recomputes the chain of the action log on one snapshot, in constant memory.
 *
 * It finds a row that was changed, removed, inserted or moved, and a removed end. A log that was rewritten as a whole, with its
 * head, is consistent in itself: `head`, a hash that was written down elsewhere, finds that.
 *
 * `newest` bounds it to so many of the newest rows. Their first row is taken to follow the one before it. `onProgress` gets the
 * number of verified rows, of how many.
 */
export async function verifyActions(
  { db }: { readonly db: Db },
  {
    head: expected = null,
    newest = null,
    onProgress = () => {},
  }: { head?: string | null; newest?: number | null; onProgress?: (done: number, total: number) => void } = {},
): Promise<ActionVerification> {
  return readSnapshot(db, async (tx) => {
    const head = (await findChainHead(tx)) ?? beginning;
    const skipped = newest === null ? 0n : head.sequence - BigInt(newest);
    const start = skipped <= 0n ? beginning : await findAction(tx, skipped);
    const faults: ActionFault[] = [];
    const report = (sequence: bigint, text: string) => {
      if (faults.length < faultsMax) faults.push({ sequence: Number(sequence), text });
    };
    let last: ChainHead = start ?? { sequence: skipped, hash: "" };
    if (start === null) report(skipped, "It is missing.");
    let verified = 0;
    let isExpectedFound = expected === null || expected === last.hash;
    for await (const action of skipped > 0n ? readActions(tx, skipped) : readActions(tx)) {
      for (const text of compareLink(last, action)) report(action.sequence, text);
      if (action.hash === expected) isExpectedFound = true;
      last = action;
      verified += 1;
      if (verified % progressRows === 0) onProgress(verified, Number(head.sequence - (skipped > 0n ? skipped : 0n)));
    }
    for (const text of compareEnd(last, head)) report(head.sequence, text);
    if (!isExpectedFound)
      report(
        head.sequence,
        `No action has the hash ${expected}: the log was cut or rewritten since it was written down.`,
      );
    const end = { sequence: Number(head.sequence), hash: head.hash };
    return { verified, from: Number(skipped > 0n ? skipped : 0n) + 1, head: end, faults };
  });
}

/** What is wrong with an action behind the one before it. */
function compareLink(before: ChainHead, action: OperatorAction): string[] {
  const { hash, ...content } = action;
  const next = before.sequence + 1n;
  return [
    ...describeGap(next, action.sequence),
    ...(action.sequence === next && action.previousHash !== before.hash
      ? ["It does not follow the row before it: one of both was inserted, replaced or moved."]
      : []),
    ...(hashAction(content) === hash ? [] : ["It was changed: its hash is of another content."]),
  ];
}

function describeGap(next: bigint, sequence: bigint): string[] {
  if (sequence === next) return [];
  if (sequence === next - 1n && sequence > 0n)
    return ["It has the number of the row before it: one of both was inserted."];
  if (sequence < next) return ["It stands before the first action: it was inserted."];
  return [
    sequence === next + 1n ? `${next} is missing before it.` : `${next} to ${sequence - 1n} are missing before it.`,
  ];
}

/** What is wrong with the end of the log, given the last row. */
function compareEnd(last: ChainHead, head: ChainHead): string[] {
  if (last.sequence < head.sequence)
    return [`The end is missing: the last row is ${last.sequence}, and ${head.sequence} were written.`];
  if (last.sequence > head.sequence) return [`Rows from ${head.sequence + 1n} on were inserted behind the end.`];
  return last.hash === head.hash ? [] : ["The last row is not the one that was written last."];
}
