/**
 * The forms of an export. Each record is one piece of text that ends with its cursor.
 *
 * - CSV for spreadsheets, which run no cell of it. - JSON Lines for programs. - Beancount, of ledger and journal, for bookkeeping.
 */
import { formatRecord } from "../../core/csv.ts";
import type { Booking } from "./bookkeeping.ts";
import type { ExportRecord, ExportValue } from "./exportKind.ts";

export const exportFormats = ["csv", "jsonl", "beancount"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A record is one line, also where a merchant's name has several. */
const flatten = (value: ExportValue): ExportValue =>
  // oxlint-disable-next-line no-control-regex -- they are what is replaced
  typeof value === "string" ? value.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ") : value;

/** One transaction with its facts. */
const formatBooking = (cursor: string, day: string, { title, facts, lines }: Booking): string =>
  [
    `${day} * ${JSON.stringify(title)}`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...lines.map(({ account, amount, currency }) => `  ${account}  ${amount} ${currency}`),
    `; cursor: ${cursor}`,
    "\n",
  ].join("\n");

/** Nothing is booked before. */
const openedOn = "2020-01-01";

type Written = Pick<ExportRecord, "day" | "values" | "rows" | "booking"> & { readonly cursor: string };

/** The rows of a record. Its cursor is in the last one: a record that was cut is none. */
const listRows = ({ values, rows = [values], cursor }: Written) =>
  rows.map((row, index) => ({ ...row, cursor: index === rows.length - 1 ? cursor : null }));

interface Form {
  readonly contentType: string;
  readonly extension: string;
  /** What stands before the records. */
  head(names: readonly string[], accounts: readonly string[]): string;
  format(record: Written): string;
  /** The end of a whole record, with its cursor. */
  readonly end: RegExp;
}

export const forms: Readonly<Record<ExportFormat, Form>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    extension: "csv",
    head: (names) => formatRecord([...names, "cursor"]),
    format: (record) =>
      listRows(record)
        .map((row) => formatRecord(Object.values(row).map(flatten)))
        .join(""),
    end: /,(?!cursor\r\n)([^,\r\n]+)\r\n/g,
  },
  jsonl: {
    contentType: "application/jsonl; charset=utf-8",
    extension: "jsonl",
    head: () => "",
    format: (record) =>
      listRows(record)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    end: /"cursor":"([^"]+)"\}\n/g,
  },
  beancount: {
    contentType: "text/plain; charset=utf-8",
    extension: "beancount",
    head: (_, accounts) =>
      accounts
        .map((account) => `${openedOn} open ${account}\n`)
        .join("")
        .concat("\n"),
    format: ({ cursor, day, booking }) => (day !== null && booking ? formatBooking(cursor, day, booking) : ""),
    end: /; cursor: (\S+)\n\n/g,
  },
};

const hasKeys = (line: string, names: readonly string[]): boolean => {
  try {
    return Bun.deepEquals(Object.keys(JSON.parse(line)), names);
  } catch {
    return false;
  }
};

/** A cell with the sign behind it. */
const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

/** The cells of the first record; none where the text is no CSV. */
function listFirstCells(text: string): string[] {
  const cells: string[] = [];
  cell.lastIndex = 0;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    cells.push(found[1] ?? "");
    if (found[2] !== ",") return cells;
  }
  return [];
}

/** Whether a text begins with a record of so many columns, as behind a cursor. */
const isWithoutHead: Readonly<Record<ExportFormat, (text: string, columns: number) => boolean>> = {
  csv: (text, columns) => {
    const cells = listFirstCells(text);
    return cells.length === columns && cells.at(-1) !== "cursor";
  },
  jsonl: () => false,
  beancount: (text) => /^\d{4}-\d\d-\d\d \* /.test(text),
};

/** What an export's file has. */
interface Columns {
  names: readonly string[];
  accounts: readonly string[];
  /** It may have been begun behind a cursor. */
  mayLackHead: boolean;
}

/** Whether a file begins as an export of these columns and accounts does. It may have been cut anywhere. */
export function isBegunAs(format: ExportFormat, text: string, { names, accounts, mayLackHead }: Columns): boolean {
  if (format === "jsonl" && text.includes("\n"))
    return hasKeys(text.slice(0, text.indexOf("\n")), [...names, "cursor"]);
  const start = format === "jsonl" ? `{${JSON.stringify(names[0])}:` : forms[format].head(names, accounts);
  if (text.startsWith(start) || start.startsWith(text)) return true;
  return mayLackHead && isWithoutHead[format](text, names.length + 1);
}

/** The cursor of the last whole record in the end of an export, and how many characters follow that record; null without any. */
export function findResumption(format: ExportFormat, text: string): { cursor: string; rest: number } | null {
  const last = [...text.matchAll(forms[format].end)].at(-1);
  const [whole = "", cursor] = last ?? [];
  return last === undefined || cursor === undefined ? null : { cursor, rest: text.length - last.index - whole.length };
}
