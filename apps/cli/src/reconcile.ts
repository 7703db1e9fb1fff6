import {
  acceptDiscrepancy,
  type ReconciliationReport,
  reportReconciliation,
  requestReconciliation,
} from "@cardkeep/domain/sync/reconciliations/requestReconciliation";
import { type Answer, buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
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

function describe({ reconciliation: newest }: ReconciliationReport): Text {
  if (newest === null) return "None has run: start a worker.\n";
  const { reason, startedAt, endedAt, evidence } = newest;
  const cause = evidence === null ? reason : `${reason}: ${evidence}`;
  const end = endedAt === null ? "it is under way; a worker runs it" : phrase`it ended ${endedAt}`;
  return phrase`The newest reconciliation (${cause}) began ${startedAt}; ${end}.\n`;
}

const answer = (report: ReconciliationReport): Answer => ({
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
    const ctx = await cli.open();
    if (flags.accept !== undefined) await acceptDiscrepancy(ctx, { id: flags.accept });
    return answer(
      flags.report === true || flags.accept !== undefined
        ? await reportReconciliation(ctx, flags)
        : await requestReconciliation(ctx, { days: flags.days, waitMs, limit: flags.limit }),
    );
  },
});
