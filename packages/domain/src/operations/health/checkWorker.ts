/** The checks of workers, chores and jobs. */
import { countJobs } from "@cardkeep/db/queue/inspect";
import { countLivingWorkers, findSurplus } from "@cardkeep/db/queue/liveness";
import type { Services } from "../../core/services.ts";
import { listChores, listOverdueChores } from "../housekeeping/chores.ts";
import { describeSurplus, type Health, jobWaitSecondsMax } from "./checkHealth.ts";
import { type Finding, finding } from "./finding.ts";

/** Whether any worker takes jobs. How long jobs wait is another check. */
export async function checkWorker({ db }: Services, { worker }: Health["parts"]): Promise<Finding> {
  const [count, surplus] = await Promise.all([countLivingWorkers(db), findSurplus(db)]);
  if (surplus !== null) return finding("worker", "warning", describeSurplus(surplus));
  return count > 0
    ? finding("worker", "ok", count === 1 ? "1 worker takes jobs" : `${count} workers take jobs`)
    : finding("worker", "fault", worker.reason ?? worker.status);
}

/** Every chore succeeded within its time. */
export async function checkChores({ db }: Services, { chores }: Health["parts"]): Promise<Finding> {
  if (chores.status !== "ok") {
    const parts = (await listOverdueChores({ db })).map(({ name }) => name);
    return { ...finding("chores", "fault", chores.reason ?? chores.status), parts };
  }
  const listed = await listChores({ db });
  return finding("chores", "ok", `None of ${listed.length} is overdue`);
}

/** No job waits for long. */
export async function checkWaitingJobs({ db }: Services): Promise<Finding> {
  const waiting = (await countJobs(db)).filter(({ state }) => state === "waiting");
  const oldest = waiting.toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)[0];
  if (!oldest) return finding("waiting jobs", "ok", "None waits");
  const text = `The oldest waits for ${Math.round(oldest.oldestSeconds)} s (${oldest.task})`;
  return oldest.oldestSeconds <= jobWaitSecondsMax
    ? finding("waiting jobs", "ok", text)
    : finding("waiting jobs", "warning", `${text}: run more workers, and see \`bun run cardkeep jobs list --waiting\``);
}

/** No job has used up its attempts. */
export async function checkFailedJobs({ db }: Services): Promise<Finding> {
  const failed = (await countJobs(db)).filter(({ state }) => state === "failed");
  if (failed.length === 0) return finding("failed jobs", "ok", "None was given up");
  const tasks = failed.map(({ task, count }) => `${count} ${task}`).join(", ");
  const text = `Given up: ${tasks}; see \`bun run cardkeep jobs list --failed\`, then \`jobs retry\``;
  return { ...finding("failed jobs", "fault", text), parts: failed.map(({ task }) => task) };
}
