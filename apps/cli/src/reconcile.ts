import {
  acceptDiscrepancy,
  type ReconciliationReport,
  reportReconciliation,
  requestReconciliation,
} from "@cardkeep/domain/sync/reconciliations/requestReconciliation";
import { type Answer, buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { limit } from "./lists.ts";
import { optionalSwitch, optionalText, parseBy, parseNumber, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { z } from "zod";
import { joinTexts, phrase, type Text } from "./texts.ts";

const waitMs = 60_000;
const daysMax = 3_650;
const parseDays = parseBy(z.int().min(1).max(daysMax), parseNumber);

const columns = [
  { title: "found" },
  { title: "what chain or partner knows", elastic: true },
  { title: "what was done" },
  { title: "id" },
];

function describe({ reconciliation }: ReconciliationReport): Text {
  if (reconciliation === null) return "None has run: start a worker.\n";
  const { reason, startedAt, endedAt, evidence } = reconciliation;
  const cause = evidence === null ? reason : `${reason}: ${evidence}`;
  const end = endedAt === null ? "it is under way; a worker runs it" : phrase`it ended ${endedAt}`;
  return phrase`The reconciliation (${cause}) began ${startedAt}; ${end}.\n`;
}

const answerReport = (report: ReconciliationReport): Answer => ({
  data: report,
  text: joinTexts(
    renderTable(
      columns,
      report.discrepancies.map(({ foundAt, text, action, id }) => [foundAt, text, action ?? "open", id]),
      "Chain and partners know nothing that no row knows.",
    ),
    describe(report),
  ),
});

/** The report of the reconciliation that was asked for. Before its end it is no answer, so the command fails. */
export function answerRun(report: ReconciliationReport): Answer {
  const answer = answerReport(report);
  if (report.reconciliation?.endedAt) return answer;
  const open = `It has not ended within ${waitMs / 1000} s: the list is of those before. Look again with \`cardkeep reconcile --report\`.\n`;
  return { ...answer, text: joinTexts(answer.text, open), exitCode: 1 };
}

interface Flags {
  days: number;
  report?: boolean;
  accept?: string;
  limit: number;
}

export const reconcile = buildChange({
  verb: {
    verbs: ["reconcile.run", "reconcile.report", "reconcile.accept"],
    choose: ({ accept, report }: Flags) =>
      accept !== undefined ? "reconcile.accept" : report === true ? "reconcile.report" : "reconcile.run",
  },
  brief: "Compares all that chain and partners know with the rows, restores what is missing, and lists it",
  details:
    "It begins by itself when the database went back: after a restore, or a failover to a node that lacks the last writes.\n" +
    "It is safe beside a running service, and a second time changes nothing.",
  waitsFor: `a worker compares chain and partners with the rows; waits ${waitMs / 1000} s at most`,
  example: ["reconcile --json", "reconcile --days 30 --reason Restore-of-Monday"],
  parameters: {
    flags: withReason({
      days: { kind: "parsed", parse: parseDays, default: "7", placeholder: "days", brief: "How far to look back" },
      report: optionalSwitch("Only list what was found so far"),
      accept: optionalText("id", "Record that you settled an open discrepancy"),
      limit,
    }),
  },
  run: async (cli: CliContext, flags: Flags): Promise<Answer> => {
    if (flags.accept !== undefined && flags.report === true)
      throw new UsageError("--accept and --report exclude each other.");
    const ctx = await cli.open();
    if (flags.accept !== undefined) await acceptDiscrepancy(ctx, { id: flags.accept });
    return flags.report === true || flags.accept !== undefined
      ? answerReport(await reportReconciliation(ctx, flags))
      : answerRun(await requestReconciliation(ctx, { days: flags.days, waitMs, limit: flags.limit }));
  },
});
