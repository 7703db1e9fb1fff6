/**
 * Tables as data: one declaration gives the table, its layout on a phone and its CSV.
 *
 * - column: a name, a plain value for the CSV, and HTML where the page shows more than that.
 * - table: the rows of one page. - list: a table whose further rows are read page by page.
 */
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { formatRecord, type Plain } from "@cardkeep/domain/core/csv";
import { linkWith, may, type Table, type Visit } from "./page.ts";

export interface Column<Row> {
  readonly name: string;
  /** The CSV's cell: the whole value, never a shortened one. Also the page's cell where `cell` is missing. */
  readonly text: (row: Row) => Plain;
  readonly cell?: (row: Row) => Part;
  /** Numbers and amounts stand below each other by their last digit. */
  readonly isRight?: boolean;
  /** Whether the page shows it beside some rows: without, it does. The CSV always has it. */
  readonly isShown?: (rows: readonly Row[]) => boolean;
}

/** The columns without one that repeats what the page is about. */
export const withoutColumn = <Row>(columns: readonly Column<Row>[], without: string): readonly Column<Row>[] =>
  columns.filter(({ name }) => name !== without);

interface Shape<Row> {
  /** Names the file, and the table within its page: `cards`. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** The sentence for a table without rows. */
  readonly none: string;
}

/** Rows of one page of a list, of one page of a CSV, and of a whole CSV. */
const pageSize = 50;
const csvPageSize = 500;
export const csvRowsMax = 100_000;

/** A trail of this many pages can be gone back; then there is the newest page. */
const trailMax = 20;

function renderCell(value: Plain): Part {
  if (value instanceof Date) return renderTime(value);
  if (value === null || value === undefined || value === "") return markup`<span class="none">–</span>`;
  return typeof value === "number" ? value : String(value);
}

/** A word of this length stays in one line; longer ones, such as hashes, break anywhere. */
const wordLengthMax = 24;

const renderTd = <Row>({ name, text, cell, isRight }: Column<Row>, row: Row): Html => {
  const plain = text(row);
  const isWord = typeof plain === "string" && plain.length <= wordLengthMax;
  const kind = isRight ? "right" : isWord && "word";
  return markup`<td${kind && markup` class="${kind}"`} data-label="${name}"><div>${cell ? cell(row) : renderCell(plain)}</div></td>`;
};

const renderRow = <Row>(columns: readonly Column<Row>[], row: Row): Html =>
  markup`<tr>
    ${columns.map((column) => renderTd(column, row))}
  </tr>`;

function renderRows<Row>({ columns: all, none }: Shape<Row>, rows: readonly Row[]): Html {
  if (rows.length === 0) return markup`<p class="none">${none}</p>`;
  const columns = all.filter(({ isShown }) => isShown?.(rows) ?? true);
  return markup`<table>
        <thead>
          <tr>
            ${columns.map(({ name, isRight }) => markup`<th${isRight && markup` class="right"`} scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => renderRow(columns, row))}
        </tbody>
      </table>`;
}

const formatHeader = <Row>({ columns }: Shape<Row>): string => formatRecord(columns.map(({ name }) => name));

const formatRows = <Row>({ columns }: Shape<Row>, rows: readonly Row[]): string =>
  rows.map((row) => formatRecord(columns.map(({ text }) => text(row)))).join("");

/** False for operators who may not export. */
const linkToCsv = (visit: Visit, { name }: { name: string }): Html | false =>
  may(visit, "lists.export") &&
  markup`<a href="${linkWith(visit, { format: "csv", table: name, after: null, trail: null })}" download aria-label="Download ${name} as CSV">CSV</a>`;

/** The last record of a file that lacks rows. */
const formatCut = <Row>({ columns }: Shape<Row>, rowsMax: number, others: string): string => {
  const [, ...empty] = columns.map(() => "");
  return formatRecord([`Cut after ${rowsMax} rows. ${others}`, ...empty]);
};

interface TableShape<Row> extends Shape<Row> {
  readonly rows: readonly Row[];
  /** It shows so many of them, and its CSV has no others. */
  readonly rowsMax?: number;
  /** Where the others are, for its CSV. */
  readonly others?: string;
}

/** A table of rows that are all there, or of the first ones: then it gets one row more than it shows. */
export function buildTable<Row>(visit: Visit, shape: TableShape<Row>): Table {
  const { rowsMax = shape.rows.length, others = "The list has the others." } = shape;
  const rows = shape.rows.slice(0, rowsMax);
  const isCut = shape.rows.length > rowsMax;
  return {
    name: shape.name,
    isFilled: rows.length > 0,
    ...markup`${renderRows(shape, rows)} ${rows.length > 0 && markup`<p class="pager">${linkToCsv(visit, shape)}</p>`}`,
    async *listRecords() {
      yield formatHeader(shape) + formatRows(shape, rows) + (isCut ? formatCut(shape, rowsMax, others) : "");
    },
  };
}

type ReadRows<Row> = (position: { after: string | null; limit: number }) => Promise<readonly Row[]>;

interface ListShape<Row> extends Shape<Row> {
  /** Reads up to `limit` rows after the one whose key is `after`, in the list's order. */
  readonly read: ReadRows<Row>;
  readonly keyOf: (row: Row) => string;
}

/** A list: one page of rows with links to the others. Its CSV holds the rows of all pages, `csvRowsMax` at most. */
export async function buildList<Row>(visit: Visit, shape: ListShape<Row>): Promise<Table> {
  const isCsv = visit.query.get("format") === "csv";
  const rows = isCsv ? [] : await shape.read({ after: visit.query.get("after"), limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const lastRow = shown.at(-1);
  const last = rows.length > pageSize && lastRow !== undefined ? shape.keyOf(lastRow) : null;
  return {
    name: shape.name,
    isFilled: shown.length > 0,
    ...markup`${renderRows(shape, shown)} ${renderPager(visit, { last, csv: shown.length > 0 && linkToCsv(visit, shape) })}`,
    listRecords: () => listRecords(shape),
  };
}

async function* listRecords<Row>(shape: ListShape<Row>): AsyncGenerator<string> {
  let after: string | null = null;
  for (let count = 0; count < csvRowsMax;) {
    // One row more than the page: whether another page follows.
    const limit = Math.min(csvPageSize, csvRowsMax - count);
    const rows = await shape.read({ after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    yield (after === null ? formatHeader(shape) : "") + formatRows(shape, shown);
    if (rows.length <= limit || last === undefined) return;
    after = shape.keyOf(last);
    count += shown.length;
  }
  yield formatCut(shape, csvRowsMax, "Choose a narrower filter for the others.");
}

/** Links to the newest page, to the one that was left for this one, and to the next. */
function renderPager(visit: Visit, { last, csv }: { last: string | null; csv: Part }): Html {
  const after = visit.query.get("after");
  const trail = (visit.query.get("trail") ?? "").split("~").filter((key) => key !== "");
  const isSecond = trail.length === 0;
  const further = {
    after: last,
    trail: [...trail, ...(after === null ? [] : [after])].slice(-trailMax).join("~") || null,
  };
  const newer = { after: trail.at(-1) ?? null, trail: trail.slice(0, -1).join("~") || null };
  return markup`<p class="pager">
    ${after !== null && markup`<a href="${linkWith(visit, { after: null, trail: null })}">Newest</a> `}
    ${after !== null && !isSecond && markup`<a rel="prev" href="${linkWith(visit, newer)}">Newer</a> `}
    ${last !== null && markup`<a rel="next" href="${linkWith(visit, further)}">Further</a> `} ${csv}
  </p>`;
}
