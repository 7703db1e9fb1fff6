/** Tables as CSV (RFC 4180), for spreadsheets. */

/** A cell's plain value. Instants are in ISO 8601, amounts as `formatUnits` has them. */
export type Plain = string | number | bigint | boolean | Date | null | undefined;

/** Spreadsheets run a cell that begins with one of these, full-width forms included, as a formula. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
/** Where a comma is the decimal sign, spreadsheets begin a cell behind each semicolon, also inside quotes, and may quote it anew. */
const innerFormula = /(;[\s"]*)(?=[=+\-@＝＋－＠])/g;

/** A number runs nothing. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/** A value as text; empty for none. */
function formatPlain(value: Plain): string {
  if (value === null || value === undefined) return "";
  return value instanceof Date ? value.toISOString() : String(value);
}

function formatCell(value: Plain): string {
  const text = formatPlain(value);
  const first = formulaStart.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  const safe = first.replace(innerFormula, "$1'");
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One record with its line end. An apostrophe before a cell that a spreadsheet would run as a formula makes it a text. */
export const formatRecord = (cells: readonly Plain[]): string => `${cells.map(formatCell).join(",")}\r\n`;
