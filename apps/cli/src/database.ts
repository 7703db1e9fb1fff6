import { archiveMonths, type MonthOutcome } from "@cardkeep/db/archives/archiveMonths";
import { restoreArchive } from "@cardkeep/db/archives/restoreArchive";
import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import { distributeTables } from "@cardkeep/db/distribute";
import { buildRouteMap } from "@stricli/core";
import { resolve } from "node:path";
import { z } from "zod";
import { type Backfill, listBackfills } from "@cardkeep/db/queries/operations/backfills";
import { createContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import { makeStatementsOf } from "@cardkeep/domain/spending/statements/closeStatements";
import { pauseBackfill } from "@cardkeep/domain/operations/backfills/pauseBackfill";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseBy, parseText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import type { Text } from "./texts.ts";

/** The present month and the one before are never archived: their rows still change. */
const monthsMin = 2;

const columns = [
  { title: "rows of" },
  { title: "month" },
  { title: "rows", align: "right" as const },
  { title: "archive", elastic: true },
];

const renderOutcomes = (outcomes: readonly MonthOutcome[]): Text =>
  renderTable(
    columns,
    outcomes.map(({ family, month, rows, folder, reason }) => [
      family,
      month,
      folder === null ? "-" : String(rows),
      folder ?? `none: ${reason}`,
    ]),
    "No month is that old.",
  );

const describeState = ({ endedAt, failure, isPaused }: Backfill): string => {
  if (endedAt !== null) return "ended";
  if (isPaused) return "paused";
  return failure === null ? "runs" : `fails: ${failure}`;
};

const renderBackfills = (backfills: readonly Backfill[]): Text =>
  renderTable(
    [
      { title: "backfill" },
      { title: "rows", align: "right" },
      { title: "of about", align: "right" },
      { title: "state", elastic: true },
    ],
    backfills.map((row) => [
      row.name,
      String(row.rows),
      row.rowsTotal === null ? "-" : String(row.rowsTotal),
      describeState(row),
    ]),
    "No migration left a backfill.",
  );

const buildPause = (isPaused: boolean) =>
  buildChange({
    verb: isPaused ? "backfills.pause" : "backfills.resume",
    brief: isPaused ? "Pauses a backfill after its batch" : "Resumes a backfill",
    example: `database ${isPaused ? "pause" : "resume"} backfill_cards_region`,
    parameters: { flags: withReason({}), positional: textArgument("backfill", "Name of the backfill") },
    run: async (cli: CliContext, _: object, name: string) => {
      const data = await pauseBackfill(await cli.open(), { name, isPaused });
      return { data, text: renderBackfills([data]) };
    },
  });

type DatabaseChange = "database.archive" | "database.restore" | "database.distribute";

/** Records a change before it begins: its own transactions are several, or none of the service's. */
async function record(
  cli: CliContext,
  verb: DatabaseChange,
  { id, facts }: { id: string; facts: ActionFacts | null },
): Promise<void> {
  const ctx = await cli.open();
  const subject = { kind: "database", id } as const;
  await ctx.act(verb, async () => ({ output: undefined, subject, before: null, after: facts }));
}

async function readSessionUrl(cli: CliContext): Promise<string> {
  const { settings } = await cli.load();
  return settings.databaseSessionUrl ?? settings.databaseUrl ?? "";
}

export const database = buildRouteMap({
  docs: { brief: "Months of old rows, backfills, and the nodes of the database" },
  routes: {
    backfills: buildVerb({
      verb: "backfills.list",
      brief: "Lists changes of many rows that migrations left to workers, with their progress",
      example: "database backfills",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listBackfills((await cli.open()).db);
        return { data, text: renderBackfills(data) };
      },
    }),
    pause: buildPause(true),
    resume: buildPause(false),
    archive: buildChange({
      verb: "database.archive",
      brief: "Moves months of final payments and chain transactions into files",
      example: "database archive --months 24 --out /var/lib/cardkeep/archives",
      parameters: {
        flags: withReason({
          months: {
            kind: "parsed",
            parse: parseBy(z.coerce.number().int().min(monthsMin)),
            placeholder: "N",
            brief: "Months that stay, besides the present one; 2 or more, and 14 or more of payments",
          } as const,
          out: { kind: "parsed", parse: parseText, placeholder: "FOLDER", brief: "Folder of the archives" } as const,
        }),
      },
      run: async (cli: CliContext, { months, out }: { months: number; out: string }) => {
        await record(cli, "database.archive", { id: "archives", facts: { months, folder: resolve(out) } });
        const { services, log } = await cli.load();
        const ctx = createContext(services, { log, requestId: generateId() });
        const data = await archiveMonths(await readSessionUrl(cli), {
          months,
          folder: out,
          now: new Date(),
          statementZone: services.policy.statementTimeZone,
          onMonth: async (family, month) => {
            cli.terminal.progress.begin(`archives ${family} of ${month}`);
            if (family === "payments") await makeStatementsOf(ctx, month);
          },
        });
        return { data, text: renderOutcomes(data) };
      },
    }),
    restore: buildChange({
      verb: "database.restore",
      brief: "Reads an archive back into the database; its files stay",
      waitsFor: "reads the archive into the database",
      example: "database restore /var/lib/cardkeep/archives/payments-2024-01",
      parameters: { flags: withReason({}), positional: textArgument("folder", "Folder of one archive") },
      run: async (cli: CliContext, _: object, folder: string) => {
        await record(cli, "database.restore", { id: "archives", facts: { folder: resolve(folder) } });
        const data = await restoreArchive(await readSessionUrl(cli), folder);
        const rows = data.tables.reduce((sum, table) => sum + table.rows, 0);
        return { data, text: `${rows} rows of ${data.month} are in the database again.\n` };
      },
    }),
    distribute: buildChange({
      verb: "database.distribute",
      brief: "Distributes payments and ledger by user onto the nodes of Citus",
      example: "database distribute",
      parameters: { flags: withReason({}) },
      run: async (cli: CliContext) => {
        await record(cli, "database.distribute", { id: "tables", facts: null });
        const tables = await distributeTables((await cli.load()).db, (index, total, table) =>
          cli.terminal.progress.count(index, total, `moves ${table} onto the nodes`),
        );
        const text = tables.length === 0 ? "The tables are distributed already." : `Distributed ${tables.join(", ")}.`;
        return { data: { tables }, text: `${text}\n` };
      },
    }),
  },
});
