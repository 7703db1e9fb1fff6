/**
 * The forms of an export. Each record is one piece of text that ends with its cursor.
 *
 * - CSV for spreadsheets, which run no cell of it. - JSON Lines for programs. - Beancount, of the ledger alone, for bookkeeping.
 */
import { formatRecord } from "../../core/csv.ts";
import type { ExportRecord, ExportValue } from "./records.ts";

export const exportFormats = ["csv", "jsonl", "beancount"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A record is one line, also where a merchant's name has several. */
const flatten = (value: ExportValue): ExportValue =>
  // oxlint-disable-next-line no-control-regex -- they are what is replaced
  typeof value === "string" ? value.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ") : value;

/** What ledger accounts are called in Beancount. */
const accounts = {
  safe: "Assets:Customers:Safes",
  held: "Assets:Customers:Held",
  settlement: "Assets:Settlement",
  owed: "Assets:Customers:Debts",
  advanced: "Liabilities:Customers:Advanced",
  writtenOff: "Expenses:Customers:Debts",
} as const;

/** One transaction; amounts of zero stand in none. */
function formatTransaction(cursor: string, values: ExportRecord["values"]): string {
  const { day, id, paymentId, userId, currency } = values;
  const postings = Object.entries(accounts).flatMap(([name, account]) =>
    values[name] === "0" ? [] : [`  ${account}  ${values[name]} ${currency}\n`],
  );
  const facts = Object.entries({ entry: id, payment: paymentId, user: userId });
  const meta = facts.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`).join("");
  return `${day} * "Card money"\n${meta}${postings.join("")}; cursor: ${cursor}\n\n`;
}

/** Nothing is booked before. */
const openedOn = "2020-01-01";

interface Form {
  readonly contentType: string;
  readonly extension: string;
  /** What stands before the records. */
  head(names: readonly string[]): string;
  format(record: Pick<ExportRecord, "values"> & { readonly cursor: string }): string;
  /** The text behind which a record is whole, and the cursor in a record. */
  readonly end: string;
  readonly cursor: RegExp;
}

export const forms: Readonly<Record<ExportFormat, Form>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    extension: "csv",
    head: (names) => formatRecord([...names, "cursor"]),
    format: ({ values, cursor }) => formatRecord([...Object.values(values).map(flatten), cursor]),
    end: "\r\n",
    cursor: /,([^,]+)\r\n$/,
  },
  jsonl: {
    contentType: "application/jsonl; charset=utf-8",
    extension: "jsonl",
    head: () => "",
    format: ({ values, cursor }) => `${JSON.stringify({ ...values, cursor })}\n`,
    end: "\n",
    cursor: /"cursor":"([^"]+)"\}\n$/,
  },
  beancount: {
    contentType: "text/plain; charset=utf-8",
    extension: "beancount",
    head: () =>
      Object.values(accounts)
        .map((account) => `${openedOn} open ${account}\n`)
        .join("")
        .concat("\n"),
    format: ({ values, cursor }) => formatTransaction(cursor, values),
    end: "\n\n",
    cursor: /; cursor: (\S+)\n\n$/,
  },
};

/** The cursor of the last whole record in the end of an export, and how many characters follow that record; null without any. */
export function findResumption(format: ExportFormat, text: string): { cursor: string; rest: number } | null {
  const { end, cursor } = forms[format];
  const at = text.lastIndexOf(end);
  const found = at === -1 ? null : cursor.exec(text.slice(0, at + end.length))?.[1];
  return !found || found === "cursor" ? null : { cursor: found, rest: text.length - at - end.length };
}
