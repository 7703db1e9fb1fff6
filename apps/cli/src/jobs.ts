import { formatAge } from "@cardkeep/contract/core/durations";
import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { getJob, type Job, listJobs, retryFailedJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { measureWork } from "@cardkeep/domain/operations/health/measureWork";
import { buildRouteMap } from "@stricli/core";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalSwitch, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts } from "./texts.ts";

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
    ["Runs at", job.runAt],
    ["Created", job.createdAt],
    ["Changed", job.updatedAt],
    ["Last error", job.lastError?.split("\n") ?? "-"],
  ]),
});

const states = ["failed", "waiting", "running", "scheduled"] as const;
const idArgument = textArgument("id", "Id of the job");

const listColumns = [
  { title: "id", align: "right" as const },
  { title: "task" },
  { title: "state" },
  { title: "tries", align: "right" as const },
  { title: "runs at" },
  { title: "last error", elastic: true },
];

const countColumns = [
  { title: "task" },
  { title: "state" },
  { title: "jobs", align: "right" as const },
  { title: "oldest", align: "right" as const },
];

type ListFlags = { [S in (typeof states)[number]]?: boolean } & { limit: number };

export const jobs = buildRouteMap({
  docs: { brief: "Jobs of the workers" },
  routes: {
    list: buildVerb({
      verb: "jobs.list",
      brief: "Lists jobs; the one that should have run first comes first",
      example: ["jobs list --failed", "jobs list --scheduled --exact"],
      parameters: {
        flags: withJson({
          failed: optionalSwitch("Only jobs that failed all their attempts"),
          waiting: optionalSwitch("Only jobs that could run now"),
          running: optionalSwitch("Only jobs that run now"),
          scheduled: optionalSwitch("Only jobs that run later"),
          limit,
        }),
      },
      run: async (cli: CliContext, flags: ListFlags) => {
        const [state, another] = states.filter((name) => flags[name]);
        if (another) throw new UsageError(`--${state} and --${another} exclude each other.`);
        const data = await listJobs(await cli.open(), { state, limit: flags.limit });
        const rows = data.map((job) => [
          job.id,
          job.task,
          job.state,
          `${job.attempts}/${job.attemptsMax}`,
          job.runAt,
          firstLine(job.lastError),
        ]);
        return {
          data,
          text: joinTexts(renderTable(listColumns, rows, "There are no such jobs."), formatMoreHint(data, flags.limit)),
        };
      },
    }),
    show: buildVerb({
      verb: "jobs.show",
      brief: "Shows one job with its last error",
      example: "jobs show 1234",
      parameters: { flags: withJson({}), positional: idArgument },
      run: async (cli: CliContext, _: object, id: string) => answer(await getJob(await cli.open(), { id })),
    }),
    retry: buildChange({
      verb: "jobs.retry",
      brief: "Runs a job now and gives it all its attempts again",
      example: "jobs retry 1234",
      parameters: { flags: withReason({}), positional: idArgument },
      run: async (cli: CliContext, _: object, id: string) => answer(await retryJob(await cli.open(), { id })),
    }),
    retryFailed: buildChange({
      verb: "jobs.retry-failed",
      brief: "Runs all failed jobs again, a thousand at most",
      example: "jobs retry-failed",
      parameters: { flags: withReason({}) },
      run: async (cli: CliContext) => {
        const data = await retryFailedJobs(await cli.open());
        return { data, text: `${data.retried} ${data.retried === 1 ? "job runs" : "jobs run"} again.\n` };
      },
    }),
    counts: buildVerb({
      verb: "jobs.counts",
      brief: `Counts jobs by task and state, up to ${jobsCountedMax} of a state, and shows the age of the oldest`,
      example: "jobs counts",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const { jobs: counts, oldestJobSeconds } = await measureWork(await cli.open());
        const rows = counts.map((row) => [
          row.task,
          row.state,
          String(row.count),
          row.state === "scheduled" ? "-" : formatAge(row.oldestSeconds),
        ]);
        const isWaiting = counts.some(({ state }) => state === "waiting");
        const oldest = isWaiting
          ? `The oldest waiting job could have run ${formatAge(oldestJobSeconds)} ago.\n`
          : "No job is waiting.\n";
        return {
          data: { counts, oldestWaitingSeconds: isWaiting ? oldestJobSeconds : null },
          text: joinTexts(renderTable(countColumns, rows, "There are no jobs."), oldest),
        };
      },
    }),
  },
});
