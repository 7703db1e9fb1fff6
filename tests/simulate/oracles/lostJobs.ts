/** Nothing waits without a next wake-up: the service's own search for open rows without a job finds none. */
import type { WorldDatabase } from "../worldDatabase.ts";
import { lookingTasks } from "../jobs.ts";

/**
 * Their rows come to be open by the time, or beside the job of one person, and that search begins their work. Those that look again
 * and again begin with the service.
 */
const begunBySearch: readonly string[] = ["card.settle", "card.dispute", "cardholders.mirror", ...lookingTasks];

/** The keys of the jobs that a statement of the program added for rows that had none. @param text the statement @param answer its rows */
export function listAddedJobs(text: string, answer: unknown): string[] {
  if (!text.includes("open_work(task, subject") || !Array.isArray(answer)) return [];
  return answer
    .map((row: unknown) => /[,"]([a-z]+\.\w+:[^,"]+),/.exec(JSON.stringify(row))?.[1] ?? JSON.stringify(row))
    .filter((key) => !begunBySearch.includes(key.split(":")[0] ?? ""));
}

/** Those of them that were lost, in words: a transaction that is still to be broadcast has another job. */
export async function findLostJobs({ ask }: WorldDatabase, keys: readonly string[]): Promise<string[]> {
  const others = keys.map((key) => key.replace("relay.confirm:", "relay.broadcast:"));
  const waiting = await ask<{ key: string }[]>`
    select key from graphile_worker._private_jobs where key = any(${others.filter((key) => !keys.includes(key))})`;
  const known = new Set(waiting.map(({ key }) => key));
  return keys
    .filter((_, index) => !known.has(others[index] ?? ""))
    .map((key) => `open work had no job of ${key.split(":")[0]} until it was searched for`);
}
