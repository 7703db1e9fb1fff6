/** Exports of finance: one form for each file. */
import { beginExport, listExports } from "@cardkeep/domain/operations/exports/runExport";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { markup } from "@cardkeep/html/markup";
import { answerFile } from "../page/answerFile.ts";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, may, type ShowPage } from "../page/page.ts";
import { buildTable } from "../page/table.ts";

type Listed = ReturnType<typeof listExports>[number];

const renderFields = ({ name, formats }: Listed) =>
  markup`<label for="${name}-format">Form</label>
    <select id="${name}-format" name="format">${formats.map((format) => markup`<option>${format}</option>`)}</select>
    <label for="${name}-from">First day</label><input id="${name}-from" name="from" type="date" />
    <label for="${name}-to">Last day</label><input id="${name}-to" name="to" type="date" />
    <label for="${name}-after">Behind the cursor</label><input id="${name}-after" name="after" autocomplete="off" />`;

export const showExports: ShowPage = async (visit) => {
  const rows = listExports();
  const table = buildTable(visit, {
    name: "exports",
    none: "There are no exports.",
    columns: [
      { name: "Export", text: ({ name }: Listed) => name },
      { name: "What it has", text: ({ brief }) => brief },
      { name: "Its days are those", text: ({ day }) => day },
      { name: "Forms", text: ({ formats }) => formats.join(", ") },
    ],
    rows,
  });
  const forms = rows.map((row) =>
    renderConfirm({
      action: `/operator/exports/${row.name}/run`,
      label: `Export ${row.name}`,
      consequence: `${row.brief}. The action log keeps that you took the file.`,
      fields: renderFields(row),
      reason: "none",
    }),
  );
  return {
    title: "Exports",
    body: markup`<p class="lead">Each record ends with its cursor, behind which an export goes on. Days are those of statements; without a last day an export ends a minute ago.</p>
      ${table} ${may(visit, "exports.run") && markup`<div class="actions">${forms}</div>`}`,
    tables: [table],
  };
};

/** Answers the file. */
export const runExport: Action = async ({ ctx, params, form }) => {
  const given = ["format", "from", "to", "after"].flatMap((name) => {
    const word = form.get(name)?.trim();
    return word ? [[name, word] as const] : [];
  });
  const running = await beginExport(ctx, { ...Object.fromEntries(given), name: params["id"] });
  return answerFile(running, running.pieces, (error) =>
    ctx.log.error({ err: toCardkeepError(error) }, "an export ended"),
  );
};
