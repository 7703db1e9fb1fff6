import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { getJob, type Job, listJobs } from "@cardkeep/domain/jobs/list";
import { retryFailedJobs, retryJob } from "@cardkeep/domain/jobs/retry";
import { measureWork } from "@cardkeep/domain/health/measureWork";
import { formatAge, formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { type Answer, defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderFields, renderTable } from "./print.ts";
import { UsageError } from "./usageError.ts";

const firstLine = (text: string | null): string => text?.split("\n", 1)[0] ?? "-";

const answer = (job: Job): Answer => ({
  data: job,
  text: renderFields([
    ["Id", job.id],
    ["Task", job.task],
    ["Subject", job.subjectId ?? "-"],
    ["Request", job.requestId ?? "-"],
    ["State", job.state],
    ["Attempts", `${job.attempts} of ${job.attemptsMax}`],
    ["Runs at", formatInstant(job.runAt)],
    ["Created", formatInstant(job.createdAt)],
    ["Changed", formatInstant(job.updatedAt)],
    ["Last error", job.lastError?.split("\n") ?? "-"],
  ]),
});

const id = z.object({ id: z.string() });
const states = ["failed", "waiting", "running", "scheduled"] as const;

export const jobs: Noun = {
  summary: "Work that the workers do, or did not manage to do",
  verbs: {
    list: defineCommand({
      summary: "Jobs, those that should have run longest ago first",
      flags: {
        failed: { kind: "switch", summary: "Given up after all their attempts" },
        waiting: { kind: "switch", summary: "Could run now" },
        running: { kind: "switch", summary: "Running now" },
        scheduled: { kind: "switch", summary: "Their time is still to come" },
        limit: limitFlag,
      },
      input: z.object({
        failed: z.boolean().optional(),
        waiting: z.boolean().optional(),
        running: z.boolean().optional(),
        scheduled: z.boolean().optional(),
        limit,
      }),
      run: async (session, input) => {
        const [state, another] = states.filter((name) => input[name]);
        if (another) throw new UsageError(`--${state} and --${another} exclude each other`);
        const data = await listJobs(await session.open(), { state, limit: input.limit });
        const rows = data.map((job) => [
          job.id,
          job.task,
          job.state,
          `${job.attempts}/${job.attemptsMax}`,
          formatInstant(job.runAt),
          firstLine(job.lastError),
        ]);
        const columns = [
          { title: "id", align: "right" as const },
          { title: "task" },
          { title: "state" },
          { title: "tries", align: "right" as const },
          { title: "runs at" },
          { title: "last error", elastic: true },
        ];
        return {
          data,
          text: renderTable(columns, rows, "There are no such jobs.") + formatMoreHint(data, input.limit),
        };
      },
    }),
    show: defineCommand({
      summary: "One job with its last error",
      takes: ["id"],
      input: id,
      run: async (session, input) => answer(await getJob(await session.open(), input)),
    }),
    retry: defineCommand({
      summary: "Runs a job now, given up or not, with all its attempts before it again",
      takes: ["id"],
      input: id,
      run: async (session, input) => answer(await retryJob(await session.open(), input)),
    }),
    "retry-failed": defineCommand({
      summary: "Runs every job that was given up, a thousand at most",
      input: z.object({}),
      run: async (session) => {
        const data = await retryFailedJobs(await session.open());
        return { data, text: `${data.retried} ${data.retried === 1 ? "job runs" : "jobs run"} again.\n` };
      },
    }),
    counts: defineCommand({
      summary: `How many jobs are in which state (the oldest ${jobsCountedMax} of each), and how long the oldest could have run`,
      input: z.object({}),
      run: async (session) => {
        const { jobs: counts, oldestJobSeconds } = await measureWork(await session.open());
        const rows = counts.map((row) => [
          row.task,
          row.state,
          String(row.count),
          row.state === "scheduled" ? "-" : formatAge(row.oldestSeconds),
        ]);
        const columns = [
          { title: "task" },
          { title: "state" },
          { title: "jobs", align: "right" as const },
          { title: "oldest", align: "right" as const },
        ];
        const isWaiting = counts.some(({ state }) => state === "waiting");
        const oldest = isWaiting
          ? `The oldest waiting job could have run ${formatAge(oldestJobSeconds)} ago.\n`
          : "No job is waiting.\n";
        return {
          data: { counts, oldestWaitingSeconds: isWaiting ? oldestJobSeconds : null },
          text: renderTable(columns, rows, "There are no jobs.") + oldest,
        };
      },
    }),
  },
};
