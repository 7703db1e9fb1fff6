/** Data as text for a terminal. */
import { cleanText, formatJson } from "@cardkeep/domain/core/wording";
import { type Cell, formatCell, formatField, type Text, type TextFormat } from "./texts.ts";

const gap = "  ";
/** An elastic column is never cut below this. */
const elasticMin = 12;

interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Is cut where the line would be too long. */
  readonly elastic?: boolean;
  /** Is left out where the line would be too long even so; the last such column first. */
  readonly optional?: boolean;
}

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

const sumOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);

/** What the elastic columns are cut to, so that a line fits. */
function fit(columns: readonly Column[], widths: readonly number[], widthMax: number): number[] {
  const fitted = [...widths];
  for (const [index, { elastic, title }] of columns.entries()) {
    const excess = sumOf(fitted) - widthMax;
    const width = fitted[index] ?? 0;
    if (elastic && excess > 0) fitted[index] = Math.min(width, Math.max(width - excess, title.length, elasticMin));
  }
  return fitted;
}

/** The columns that a line has room for. */
function choose(columns: readonly Column[], widths: readonly number[], widthMax: number): number[] {
  const kept = columns.map((_, index) => index);
  const isTooWide = () => {
    const keptColumns = columns.filter((_, index) => kept.includes(index));
    const keptWidths = widths.filter((_, index) => kept.includes(index));
    return sumOf(fit(keptColumns, keptWidths, widthMax)) > widthMax;
  };
  while (isTooWide()) {
    const last = kept.findLastIndex((index) => columns[index]?.optional);
    if (last === -1) break;
    kept.splice(last, 1);
  }
  return kept;
}

function formatTable(allColumns: readonly Column[], rows: readonly (readonly Cell[])[], format: TextFormat): string {
  const widthMax = format.isExact ? Number.POSITIVE_INFINITY : format.widthMax;
  const allCells = rows.map((row) => row.map((cell) => cleanText(formatCell(cell, format))));
  const allWidths = allColumns.map(({ title }, index) =>
    Math.max(title.length, ...allCells.map((row) => row[index]?.length ?? 0)),
  );
  const kept = choose(allColumns, allWidths, widthMax);
  const pick = <T>(values: readonly T[]): T[] => values.filter((_, index) => kept.includes(index));
  const columns = pick(allColumns);
  const widths = fit(columns, pick(allWidths), widthMax);
  const renderLine = (row: readonly string[]): string =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        const text = cut(cell, width);
        return columns[index]?.align === "right" ? text.padStart(width) : text.padEnd(width);
      })
      .join(gap)
      .trimEnd();
  const left = allColumns.filter((column) => !columns.includes(column)).map(({ title }) => title);
  const lines = [
    format.colors.strong(renderLine(columns.map(({ title }) => title))),
    ...allCells.map((row) => renderLine(pick(row))),
    ...(left.length === 0 ? [] : [format.colors.quiet(`Left out: ${left.join(", ")}. --exact prints everything.`)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Rows under their titles, each column as wide as its widest cell; `none` where there are no rows. */
export const renderTable =
  (columns: readonly Column[], rows: readonly (readonly Cell[])[], none: string): Text =>
  (format) =>
    rows.length > 0 ? formatTable(columns, rows, format) : none === "" ? "" : `${none}\n`;

/** Names and values, one a line; a value of several lines stays under itself. */
export const renderFields =
  (fields: readonly (readonly [string, Cell | readonly Cell[]])[]): Text =>
  (format) => {
    const width = Math.max(...fields.map(([name]) => name.length));
    const lines = fields.flatMap(([name, value]) => {
      // A part that is not there has no line of its own beside another one.
      const there = isList(value) ? value.filter((cell) => cell !== null) : [value];
      return (there.length === 0 ? [null] : there).map((cell, index) => {
        const text = cleanText(formatField(cell, format));
        return `${(index === 0 ? name : "").padEnd(width)}${gap}${text}`.trimEnd();
      });
    });
    return `${lines.join("\n")}\n`;
  };

const isList = (value: Cell | readonly Cell[]): value is readonly Cell[] => Array.isArray(value);

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
