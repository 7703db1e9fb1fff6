/** Nothing waits without a next wake-up: the service's own search for open rows without a job finds none. */
import { lookingTasks } from "../jobs.ts";

/** Their rows come to be open by the time, and that search begins their work. Those that look again and again begin with the service. */
const begunBySearch: readonly string[] = ["card.settle", "card.dispute", ...lookingTasks];

/** What a statement of the program says of lost jobs, in words. @param text the statement @param answer its rows */
export function findLostJobs(text: string, answer: unknown): string[] {
  if (!text.includes("open_work(task, subject") || !Array.isArray(answer)) return [];
  return answer
    .map((row: unknown) => /"?([a-z]+\.\w+):/.exec(JSON.stringify(row))?.[1] ?? JSON.stringify(row))
    .filter((task) => !begunBySearch.includes(task))
    .map((task) => `open work had no job of ${task} until it was searched for`);
}
