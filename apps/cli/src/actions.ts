import { compareFacts, exportActions, getAction, listActions } from "@cardkeep/domain/core/operators/listActions";
import { type OperatorChange, operatorChanges } from "@cardkeep/domain/core/operators/verbs";
import { type ActionVerification, verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { formatWay } from "@cardkeep/domain/core/wording";
import { buildRouteMap } from "@stricli/core";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, parseText, textArgument, withJson } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

type Action = Awaited<ReturnType<typeof getAction>>;

const columns = [
  { title: "#", align: "right" as const },
  { title: "at" },
  { title: "operator", elastic: true },
  { title: "verb" },
  { title: "subject", optional: true },
  { title: "reason", elastic: true },
];

/** JSON without integers that JavaScript cannot hold: a sequence is a number. */
const toData = (action: Action) => ({ ...action, sequence: Number(action.sequence) });

const renderAction = (action: Action): Text =>
  renderFields([
    ["Action", String(action.sequence)],
    ["At", action.at.toISOString()],
    ["Operator", `${action.operatorName}, ${action.operatorId}`],
    ["By", formatWay(action)],
    ["Verb", action.verb],
    ["Subject", `${action.subjectKind} ${action.subjectId}`],
    ...compareFacts(action).map(({ name, before, after }) => [`  ${name}`, `${before} -> ${after}`] as const),
    ["Reason", action.reason ?? "-"],
    ["Approved by", action.approverName ?? "-"],
    ["Request", action.requestId],
    ["Hash", action.hash],
    ["Before it", action.previousHash],
  ]);

const renderVerification = ({ verified, head, faults }: ActionVerification): string =>
  [
    ...faults.map(({ sequence, text }) => `Action ${sequence}: ${text}`),
    faults.length === 0
      ? `The chain is whole: ${verified} actions.`
      : `Faults: ${faults.length}, in ${verified} actions.`,
    `The last action is ${head.sequence} with the hash ${head.hash}\n`,
  ].join("\n");

/** Writes one line for each action as it is read; a million of them need no memory. @throws CommandError if the file exists */
async function writeLines(file: string, rows: ReturnType<typeof exportActions>): Promise<number> {
  let count = 0;
  async function* formatRows() {
    for await (const row of rows) {
      count += 1;
      yield `${JSON.stringify(row)}\n`;
    }
  }
  await pipeline(formatRows, createWriteStream(file, { flags: "wx", mode: 0o600 })).catch((error: unknown) => {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new CommandError(`${file} exists: name another file`) : error;
  });
  return count;
}

export const actions = buildRouteMap({
  docs: { brief: "What operators did, in a chain of hashes" },
  routes: {
    list: buildVerb({
      verb: "actions.list",
      brief: "Lists actions, newest first",
      example: ["actions list --verb users.erase", "actions list --subject shop"],
      parameters: {
        flags: withJson({
          operator: optionalText("ID", "Only actions of this operator"),
          verb: { kind: "enum", values: operatorChanges, optional: true, placeholder: "VERB", brief: "Only this verb" },
          subject: optionalText("ID", "Only actions on the user, card, order or partner with this id"),
          limit,
        }),
      },
      run: async (
        cli: CliContext,
        flags: { operator?: string; verb?: OperatorChange; subject?: string; limit: number },
      ) => {
        const filter = { operatorId: flags.operator, verb: flags.verb, subjectId: flags.subject };
        const rows = await listActions(await cli.open(), { ...filter, limit: flags.limit });
        const lines = rows.map((action) => [
          String(action.sequence),
          action.at,
          action.operatorName,
          action.verb,
          `${action.subjectKind} ${action.subjectId}`,
          action.reason ?? "-",
        ]);
        const text = joinTexts(
          renderTable(columns, lines, "There are no such actions. Each change by an operator is one."),
          formatMoreHint(rows, flags.limit),
        );
        return { data: rows.map(toData), text };
      },
    }),
    show: buildVerb({
      verb: "actions.show",
      brief: "Shows one action with the state before and after",
      example: "actions show 17",
      parameters: { flags: withJson({}), positional: textArgument("number", "Number of the action") },
      run: async (cli: CliContext, _: object, sequence: string) => {
        const action = await getAction(await cli.open(), { sequence });
        return { data: toData(action), text: renderAction(action) };
      },
    }),
    verify: buildVerb({
      verb: "actions.verify",
      brief: "Recomputes the chain of hashes; exit code 1 if an action was changed, removed or inserted",
      details:
        "Write the last hash down elsewhere, or take it from the log of a server. Given as --head, it shows later that the log\n" +
        "was neither cut nor rewritten as a whole.",
      waitsFor: "recomputes the hashes",
      example: "actions verify --head 3b1c6f0d",
      parameters: { flags: withJson({ head: optionalText("HASH", "A hash that was written down earlier") }) },
      run: async (cli: CliContext, { head = null }: { head?: string | null }) => {
        const data = await verifyActions(await cli.open(), {
          head,
          onProgress: (done, total) => cli.terminal.progress.count(done, total),
        });
        return { data, text: renderVerification(data), exitCode: data.faults.length === 0 ? 0 : 1 };
      },
    }),
    export: buildVerb({
      verb: "actions.export",
      brief: "Writes all actions in their order into a new file, as lines of JSON",
      details:
        "An auditor recomputes the hash of each line: packages/domain/src/core/operators/hashAction.ts says how.",
      waitsFor: "writes the actions",
      example: "actions export --out actions.jsonl",
      parameters: {
        flags: withJson({
          out: { kind: "parsed", parse: parseText, placeholder: "FILE", brief: "File to write" } as const,
        }),
      },
      run: async (cli: CliContext, { out }: { out: string }) => {
        const file = resolve(out);
        const count = await writeLines(file, exportActions(await cli.open()));
        return { data: { file, actions: count }, text: `${file} holds ${count} actions.\n` };
      },
    }),
  },
});
