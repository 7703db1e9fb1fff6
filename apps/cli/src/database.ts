import { archiveMonths, type MonthOutcome } from "@cardkeep/db/archives/archiveMonths";
import { restoreArchive } from "@cardkeep/db/archives/restoreArchive";
import { distributeTables } from "@cardkeep/db/distribute";
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseBy, parseText, textArgument, withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";

/** The present month and the one before are never archived: their rows still change. */
const monthsMin = 2;

const columns = [
  { title: "rows of" },
  { title: "month" },
  { title: "rows", align: "right" as const },
  { title: "archive", elastic: true },
];

const renderOutcomes = (outcomes: readonly MonthOutcome[]): string =>
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

async function readSessionUrl(cli: CliContext): Promise<string> {
  const { settings } = await cli.load();
  return settings.databaseSessionUrl ?? settings.databaseUrl ?? "";
}

export const database = buildRouteMap({
  docs: { brief: "Months of old rows, and the nodes of the database" },
  routes: {
    archive: buildVerb({
      brief: "Moves months of final payments and chain transactions into files",
      example: "database archive --months 24 --out /var/lib/cardkeep/archives",
      parameters: {
        flags: withJson({
          months: {
            kind: "parsed",
            parse: parseBy(z.coerce.number().int().min(monthsMin)),
            placeholder: "N",
            brief: "Months that stay, besides the present one; 2 or more",
          } as const,
          out: { kind: "parsed", parse: parseText, placeholder: "FOLDER", brief: "Folder of the archives" } as const,
        }),
      },
      run: async (cli: CliContext, { months, out }: { months: number; out: string }) => {
        const data = await archiveMonths(await readSessionUrl(cli), { months, folder: out, now: new Date() });
        return { data, text: renderOutcomes(data) };
      },
    }),
    restore: buildVerb({
      brief: "Reads an archive back into the database; its files stay",
      example: "database restore /var/lib/cardkeep/archives/payments-2024-01",
      parameters: { flags: withJson({}), positional: textArgument("folder", "Folder of one archive") },
      run: async (cli: CliContext, _: object, folder: string) => {
        const data = await restoreArchive(await readSessionUrl(cli), folder);
        const rows = data.tables.reduce((sum, table) => sum + table.rows, 0);
        return { data, text: `${rows} rows of ${data.month} are in the database again.\n` };
      },
    }),
    distribute: buildVerb({
      brief: "Distributes payments and ledger by user onto the nodes of Citus",
      example: "database distribute",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const tables = await distributeTables((await cli.load()).db);
        const text = tables.length === 0 ? "The tables are distributed already." : `Distributed ${tables.join(", ")}.`;
        return { data: { tables }, text: `${text}\n` };
      },
    }),
  },
});
