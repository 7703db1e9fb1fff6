import { formatAge } from "@cardkeep/contract/core/durations";
import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { jobs as noun } from "@cardkeep/desk/nouns/jobs";
import { measureWork } from "@cardkeep/domain/operations/health/measureWork";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { joinTexts } from "./texts.ts";

const countColumns = [
  { title: "task" },
  { title: "state" },
  { title: "jobs", align: "right" as const },
  { title: "oldest", align: "right" as const },
];

export const jobs = buildNoun(noun, {
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
});
