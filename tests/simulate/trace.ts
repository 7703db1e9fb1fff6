/** What a simulated world released, in order, and the digest of it. */
import { createHash } from "node:crypto";
import type { Message } from "./scheduler.ts";

export interface Trace {
  note(actor: string, message: Message, outcome: PromiseSettledResult<unknown> | null): void;
  /** What happened in words, for people; it counts for the digest too. */
  tell(actor: string, text: string): void;
  readonly steps: number;
  /** Ends the trace: what parts still say while they are stopped is of no run. */
  end(): string;
}

/** Hashes of blocks and of what is in them have names by their order: those of the seeded chain differ between checkouts. */
const hash = /0x[0-9a-f]{64}(?![0-9a-f])/g;
/** The engine signs access tokens with random numbers of its own. */
const tokenSignature = /(eyJ[\w-]+\.[\w-]+)\.[\w-]+/g;

/** Writes rows, answers and errors so that the same ones have the same text. */
function render(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)) ?? "nothing";
}

/** What the desk of the sandbox console reads of a run: a message that was released, or a tale. */
type Recorded =
  | { step: number; actor: string; kind: string; text: string; said: string | null }
  | { step: number; actor: string; tale: string };

/** Of a text that people look at. */
const recordedMax = 400;

/** @param write takes each line as it is written, for a reader of the run @param record takes the same, for people */
export function createTrace(
  write: ((line: string) => void) | null,
  record: ((recorded: Recorded) => void) | null = null,
): Trace {
  const digest = createHash("sha256");
  const names = new Map<string, string>();
  let steps = 0;
  let isOver = false;
  const add = (line: string): void => {
    if (isOver) return;
    digest.update(`${line}\n`);
    write?.(line);
  };
  const nameHash = (text: string): string => {
    const name = names.get(text) ?? `#${names.size}`;
    names.set(text, name);
    return name;
  };
  return {
    note: (actor, { kind, text }, outcome) => {
      steps++;
      const answer = outcome && render(outcome.status === "fulfilled" ? outcome.value : outcome.reason);
      const said = answer?.slice(0, recordedMax) ?? null;
      if (!isOver) record?.({ step: steps, actor, kind, text: text.slice(0, recordedMax), said });
      const line = `${steps} ${actor} ${kind} ${text}${answer === null ? "" : ` => ${answer}`}`
        .replaceAll(hash, nameHash)
        .replaceAll(tokenSignature, "$1");
      add(line);
    },
    tell: (actor, text) => {
      if (!isOver) record?.({ step: steps, actor, tale: text });
      add(`* ${actor} ${text}`.replaceAll(hash, nameHash));
    },
    get steps() {
      return steps;
    },
    end: () => {
      isOver = true;
      return digest.digest("hex").slice(0, 32);
    },
  };
}
