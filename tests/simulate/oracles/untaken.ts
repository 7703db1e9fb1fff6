/** Jobs that the queue did not take are given to it again in the same transaction: else nothing would do the work. */
import type { Message } from "../scheduler.ts";

/** How many jobs a statement gave to the queue, and how many it took; null for each other statement. */
function readTaken(text: string, answer: unknown): { given: number; added: number } | null {
  if (!text.includes("graphile_worker.add_jobs(")) return null;
  const [, given, added] = /"given":"?(\d+)"?,"added":"?(\d+)/.exec(JSON.stringify(answer) ?? "") ?? [];
  return given === undefined || added === undefined ? null : { given: Number(given), added: Number(added) };
}

export interface Untaken {
  /** A statement of an actor has its answer. @returns what was lost, in words; null where nothing was */
  note(actor: object, message: Message, answer: unknown): string | null;
}

/** @returns what follows the statements of each transaction, and of each actor outside of them */
export function createUntaken(): Untaken {
  const open = new WeakMap<object, string>();
  return {
    note: (actor, { kind, text, lane }, answer) => {
      if (kind !== "sql") return null;
      const key = lane ?? actor;
      const before = open.get(key);
      open.delete(key);
      const taken = readTaken(text, answer);
      if (taken !== null && taken.added < taken.given) open.set(key, text);
      // What is rolled back gave nothing.
      if (before === undefined || before === text || text.startsWith("rollback of ")) return null;
      return `the queue did not take a job, and it was not given again: ${before.slice(-textMax)}`;
    },
  };
}

/** Of a statement with its values, which stand at its end. */
const textMax = 200;
