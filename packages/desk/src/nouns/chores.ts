import { formatAge } from "@cardkeep/contract/core/durations";
import { type ChoreState, listChores } from "@cardkeep/domain/operations/housekeeping/chores";
import { defineNoun } from "../defineNoun.ts";
import { code, status, text } from "../value.ts";

export const chores = defineNoun({
  name: "chores",
  title: "Chores",
  group: "Operations",
  brief: "Periodic work of the workers",
  argument: { name: "chore", brief: "Name of the chore" },
  keyOf: (row: ChoreState) => row.name,
  list: {
    verb: "chores.list",
    brief: "Lists the periodic work: its last success, by which worker, and whether it is late",
    example: "chores list",
    lead:
      "Every worker does every chore. A job that the whole service needs runs in one of them, and is listed by its task. A " +
      "success is recorded every few seconds at most. One that is late fails, hangs, or no worker runs: the worker's log " +
      "has the reason.",
    none: "No worker has run yet.",
    isWhole: true,
    filters: {},
    columns: [
      { name: "Chore", of: (row) => code(row.name) },
      { name: "Is", of: ({ seconds, limitSeconds }) => status(seconds > limitSeconds ? "fault" : "ok") },
      { name: "Every", of: (row) => text(formatAge(row.periodSeconds)) },
      {
        name: "Last success",
        of: ({ seconds, succeeded }) => text(succeeded ? `${formatAge(seconds)} ago` : "never"),
      },
      { name: "Late after", of: (row) => text(formatAge(row.limitSeconds)), terminal: "optional" },
      { name: "Worker", of: (row) => code(row.worker), terminal: "elastic" },
    ],
    read: (ctx) => listChores(ctx),
  },
});
