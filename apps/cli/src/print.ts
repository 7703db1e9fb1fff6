/** Data as text for a terminal. */
import { cleanText, formatJson } from "@cardkeep/domain/wording";

/** What a table fits where the terminal does not say how wide it is. */
const widthMax = 120;
const gap = "  ";

interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Is cut where the line would be too long. */
  readonly elastic?: boolean;
}

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

/** Rows under their titles, each column as wide as its widest cell. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return `${none}\n`;
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.map(cleanText))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  const total = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1);
  const excess = total - Math.max(process.stdout.columns ?? widthMax, widthMax);
  const elastic = columns.findIndex((column) => column.elastic);
  const least = columns[elastic]?.title.length ?? 0;
  if (excess > 0 && elastic >= 0) widths[elastic] = Math.max((widths[elastic] ?? 0) - excess, least);
  const lines = cells.map((row) =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        const text = cut(cell, width);
        return columns[index]?.align === "right" ? text.padStart(width) : text.padEnd(width);
      })
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Names and values, one a line; a value of several lines stays under itself. */
export function renderFields(fields: readonly (readonly [string, string | readonly string[]])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.flatMap(([name, value]) => {
    const values = typeof value === "string" ? [value] : value.length === 0 ? ["-"] : value;
    return values.map((text, index) => `${(index === 0 ? name : "").padEnd(width)}${gap}${cleanText(text)}`.trimEnd());
  });
  return `${lines.join("\n")}\n`;
}

/** One JSON document, for a terminal. */
export const renderJson = (data: unknown): string => `${formatJson(data)}\n`;

/** A text in lines of at most `width`, broken at spaces where there are any; nothing in it speaks to the terminal. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = cleanText(text);
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
