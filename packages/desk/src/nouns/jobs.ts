import { getJob, type Job, listJobs, retryFailedJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, count, id, instant, lines, status, text } from "../value.ts";

const states = ["failed", "waiting", "running", "scheduled"] as const;

export const jobs = defineNoun({
  name: "jobs",
  title: "Jobs",
  group: "Operations",
  brief: "Jobs of the workers",
  argument: { name: "id", brief: "Id of the job" },
  keyOf: (row: Job) => row.id,
  list: {
    verb: "jobs.list",
    brief: "Lists jobs; the one that should have run first comes first",
    example: ["jobs list --failed", "jobs list --scheduled --exact"],
    lead: "What the workers do next.",
    none: "There are no such jobs.",
    filters: {
      state: {
        label: "State",
        brief: "Only jobs in this state",
        placeholder: "STATE",
        values: states,
        isTab: true,
        isFlags: true,
      },
    },
    columns: [
      { name: "Id", of: (row) => id(row.id, "jobs"), isRight: true },
      { name: "Task", of: (row) => code(row.task) },
      { name: "Subject", of: (row) => code(row.subjectId), terminal: "hidden" },
      { name: "State", of: (row) => status(row.state) },
      { name: "Tries", of: (row) => text(`${row.attempts}/${row.attemptsMax}`), isRight: true },
      { name: "Runs at", of: (row) => instant(row.runAt) },
      {
        name: "Last error",
        of: (row) => text(row.lastError?.split("\n", 1)[0] ?? null, "stranger"),
        terminal: "elastic",
      },
    ],
    read: listJobs,
  },
  show: {
    verb: "jobs.show",
    brief: "Shows one job with its last error",
    example: "jobs show 1234",
    title: "Job",
    read: (ctx, key) => getJob(ctx, { id: key }),
    rowOf: (shown) => shown,
    fields: (row) => [
      ["Id", code(row.id)],
      ["Task", code(row.task)],
      ["Subject", code(row.subjectId)],
      ["Request", code(row.requestId)],
      ["State", status(row.state)],
      ["Attempts", text(`${row.attempts} of ${row.attemptsMax}`)],
      ["Runs at", instant(row.runAt)],
      ["Created", instant(row.createdAt)],
      ["Changed", instant(row.updatedAt)],
      ["Last error", lines(row.lastError, "stranger")],
    ],
  },
  acts: {
    retry: {
      verb: "jobs.retry",
      brief: "Runs a job now and gives it all its attempts again",
      example: "jobs retry 1234",
      offer: ({ state }) =>
        state === "running" ? null : { label: "Run it now", consequence: "It gets all its attempts again." },
      leadsToList: true,
      done: () => "The job will run again.",
      run: (ctx, key) => retryJob(ctx, { id: key }),
    },
    "retry-failed": {
      verb: "jobs.retry-failed",
      brief: "Runs all failed jobs again, a thousand at most",
      example: "jobs retry-failed",
      label: "Retry all jobs that were given up",
      done: (jobCount) => (jobCount === 1 ? "1 job will run again." : `${jobCount} jobs will run again.`),
      isKeyless: true,
      run: async (ctx) => {
        const { retried } = await retryFailedJobs(ctx);
        return new Answered("", { retried }, [["Run again", count(retried)]]);
      },
    },
  },
});
