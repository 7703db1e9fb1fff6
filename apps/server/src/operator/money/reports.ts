/** Reports of finance: one at a time, over any days, each from postings of the books alone. */
import { reportNames, reportRowsMax, showReport } from "@cardkeep/domain/operations/exports/showReport";
import { markup } from "@cardkeep/html/markup";
import { renderFilters } from "../page/filters.ts";
import { readChoice, readText, type ShowPage } from "../page/page.ts";
import { buildTable, type Column } from "../page/table.ts";
import { renderDecimal } from "./amounts.ts";

/** `returnedTax` as the head of a column: `Returned tax`. */
function nameColumn(key: string): string {
  const words = key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

type ReportRow = Readonly<Record<string, string | number | null>>;

/** A page has room for so many; of more, it shows those with an amount. */
const columnsMax = 10;

/** A CSV has all columns, and the number as programs read it. */
const buildColumn = (key: string, isAmount: boolean, isWide: boolean): Column<ReportRow> => ({
  name: nameColumn(key),
  text: (row) => row[key],
  isRight: isAmount || key === "days",
  ...(isAmount && { cell: (row) => renderDecimal(row[key]) }),
  ...(isAmount && isWide && { isShown: (rows) => rows.some((row) => Number(row[key]) !== 0) }),
  ...(key === "day" && { cell: (row) => markup`<span class="whole">${row[key]}</span>` }),
});

export const showReports: ShowPage = async (visit) => {
  const name = readChoice(visit, "report", reportNames) ?? "trial-balance";
  const { brief, amounts, rows } = await showReport(visit.ctx, {
    name,
    from: readText(visit, "from"),
    to: readText(visit, "to"),
  });
  const names = Object.keys(rows[0] ?? {});
  const table = buildTable(visit, {
    name,
    none: "Nothing was booked in these days.",
    rows,
    rowsMax: reportRowsMax,
    others: "Exports have the others.",
    columns: names.map((key) => buildColumn(key, amounts.includes(key), names.length > columnsMax)),
  });
  return {
    title: "Reports",
    body: markup`<p class="lead">${brief}. Days are those of the books; without them a report is of all days up to today.</p>
      ${renderFilters(visit, [
        { name: "report", label: "Report", values: reportNames, isNeeded: true },
        { name: "from", label: "First day, 2026-11-01" },
        { name: "to", label: "Last day, 2026-11-30" },
      ])}
      ${table}
      ${rows.length > reportRowsMax && markup`<p class="none">These are the first ${reportRowsMax} rows. <a href="/operator/exports">Exports</a> have all.</p>`}`,
    tables: [table],
  };
};
