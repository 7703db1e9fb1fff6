/**
 * The delay queue of a Safe as data for its picture.
 *
 * - row: one operation. - phase: a span of its life: accepted, cooling down, ready. - wait: what it waits for, in words.
 */
import { formatLeft, secondsUntil } from "./countdown.ts";
import type { Tone } from "./picture.ts";

/** One operation; each instant is null before it, or where it never came. */
export interface QueueRow {
  readonly id: string;
  /** What it does, in a few words. */
  readonly label: string;
  readonly queueNonce: bigint | null;
  readonly acceptedAt: Date;
  /** Its enqueue is mined, and the cooldown begins. */
  readonly queuedAt: Date | null;
  /** The cooldown is over. */
  readonly readyAt: Date | null;
  /** By then it must be executed. */
  readonly expiresAt: Date | null;
  readonly endedAt: Date | null;
  readonly isExecuted: boolean;
  /** Why it failed, or why its execution was put off. */
  readonly reason: string | null;
  /** The contract executes no other one before it. */
  readonly isHead: boolean;
}

/** A span of an operation's life. */
export interface QueuePhase {
  readonly name: string;
  readonly tone: Tone;
  readonly from: Date;
  readonly until: Date;
  /** The rest of a cooldown, which has not passed yet. */
  readonly isAhead: boolean;
}

/** The phases in their order, and the ends. */
export const queueTones = [
  { name: "accepted, being queued", tone: "second" },
  { name: "cooling down", tone: "waiting" },
  { name: "ready", tone: "first" },
  { name: "executed", tone: "good" },
  { name: "expired or failed", tone: "bad" },
] as const satisfies readonly { name: string; tone: Tone }[];

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);

/** What happened to an operation so far, and for an open one the rest of its cooldown. */
export function listPhases({ acceptedAt, queuedAt, readyAt, endedAt }: QueueRow, now: Date): QueuePhase[] {
  const end = endedAt ?? now;
  const queued = queuedAt ?? end;
  const cooled = readyAt ?? end;
  const [being, cooling, ready] = queueTones;
  return [
    { ...being, from: acceptedAt, until: earlier(queued, end), isAhead: false },
    { ...cooling, from: queued, until: earlier(cooled, end), isAhead: false },
    { ...cooling, from: queued > end ? queued : end, until: endedAt ? end : cooled, isAhead: true },
    { ...ready, from: cooled, until: end, isAhead: false },
  ].filter(({ from, until }) => from < until);
}

const wordEnd = ({ isExecuted, reason }: QueueRow): string => {
  if (isExecuted) return "executed";
  return /expired/i.test(reason ?? "") ? "expired" : "failed";
};

/** What an operation waits for, with the time that is left. */
export function describeWait(row: QueueRow, now: Date): string {
  const { readyAt, expiresAt, endedAt, isHead, reason } = row;
  if (endedAt !== null) return reason ?? wordEnd(row);
  if (readyAt === null) return "its enqueue is being sent";
  if (readyAt > now) return `cools down for ${formatLeft(secondsUntil(readyAt, now))} more`;
  const place = isHead ? "first in the queue, is to be executed" : "ready, waits for those before it";
  const expiry = expiresAt === null ? "" : `; expires in ${formatLeft(secondsUntil(expiresAt, now))}`;
  return `${place}${expiry}`;
}

/** The same in a word or two, with the instant that it counts down to; null where nothing is counted. */
export function nameWait(row: QueueRow, now: Date): { readonly words: string; readonly until: Date | null } {
  if (row.endedAt !== null) return { words: wordEnd(row), until: null };
  if (row.readyAt === null) return { words: "being queued", until: null };
  if (row.readyAt > now) return { words: "ready in", until: row.readyAt };
  if (row.expiresAt === null) return { words: "ready", until: null };
  return { words: "ready, expires in", until: row.expiresAt };
}

/** Ended operations of so long before the oldest open one are drawn with it, to see what it waited for. */
const aroundMs = 30 * 60_000;

/** What `chooseQueueRows` chose, in a sentence or two: how many are open, and what the head waits for. */
export function summariseQueue(
  { shown, open, left }: { shown: readonly QueueRow[]; open: number; left: number },
  now: Date,
): string {
  const rest = left === 0 ? "" : ` ${left} more are not drawn.`;
  if (open === 0) return `Nothing is queued. These ended last.${rest}`;
  const head = shown.find(({ isHead }) => isHead);
  return `${open} open.${head ? ` First: ${head.label}, ${describeWait(head, now)}.` : ""}${rest}`;
}

/**
 * The operations for a picture of the present: the open ones in the order of their execution, before them those that ended
 * shortly before; without open ones, those that ended last. `open` counts the open ones, `left` all that are not drawn.
 */
export function chooseQueueRows<Row extends QueueRow>(
  rows: readonly Row[],
  rowsMax: number,
): { readonly shown: Row[]; readonly open: number; readonly left: number } {
  const inOrder = rows.toSorted((a, b) => a.acceptedAt.getTime() - b.acceptedAt.getTime());
  const open = inOrder.filter(({ endedAt }) => endedAt === null);
  const ended = inOrder.filter(({ endedAt }) => endedAt !== null);
  const newestEndMs = Math.max(...ended.map(({ endedAt }) => Number(endedAt)));
  const sinceMs = (open[0]?.acceptedAt.getTime() ?? newestEndMs) - aroundMs;
  const shownOpen = open.slice(0, rowsMax);
  const room = rowsMax - shownOpen.length;
  const near = ended.filter(({ endedAt }) => Number(endedAt) >= sinceMs);
  const shown = [...(room === 0 ? [] : near.slice(-room)), ...shownOpen];
  return { shown, open: open.length, left: rows.length - shown.length };
}
