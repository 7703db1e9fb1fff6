/** Values and rows of the nouns that `packages/desk` describes, as HTML and as cells of a CSV. */
import type { ColumnShape, Noun, PartTable, Row } from "@cardkeep/desk/noun";
import { toPlain, type Value } from "@cardkeep/desk/value";
import { cleanText } from "@cardkeep/domain/core/wording";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { readForeign, renderForeign } from "./page/foreignText.ts";
import type { Names } from "./names.ts";
import type { Table, Visit } from "./page/page.ts";
import { renderCode, renderCount, renderFacts, renderFields, renderIdLink, renderStatus } from "./page/parts.ts";
import { buildTable, type Column, withoutColumn } from "./page/table.ts";

/** The address of a noun's list. */
export const pathOf = (noun: string): string => `/operator/${noun}`;

type TextValue = Extract<Value, { readonly kind: "text" }>;

/** Several lines keep their breaks, such as those of an error. */
function renderText({ text, origin, hasLines, isWhole }: TextValue): Part {
  if (hasLines && text !== null) return markup`<pre tabindex="0">${text.split("\n").map(cleanText).join("\n")}</pre>`;
  if (isWhole && text !== null) return markup`<span class="whole">${text}</span>`;
  return origin === undefined ? text : text && renderForeign(text);
}

/** The fields of a row, without those that its page shows otherwise. */
const listNamed = ({ fields, page }: Pick<Row, "fields" | "page">, names: Names) =>
  fields.flatMap(([name, values]) =>
    page?.without?.includes(name) ? [] : [[name, joinValues(values, names)] as const],
  );

/** The same as a list. */
export const renderNamed = (row: Pick<Row, "fields" | "page">, names: Names = new Map()): Html =>
  renderFields(listNamed(row, names));

/** The same in little room, without those of nothing. */
export const renderNamedFacts = (row: Pick<Row, "fields" | "page">): Html => renderFacts(listNamed(row, new Map()));

/** Values without those of nothing: one below another where they are of one kind, such as wallets, and otherwise in one line. */
function joinValues(values: readonly Value[], names: Names): Part {
  const parts = values
    .map((value) => renderValue(value, names))
    .filter((part) => part !== null && part !== undefined && part !== "");
  if (parts.length <= 1) return parts[0] ?? null;
  const isOneKind = new Set(values.map(({ kind }) => kind)).size === 1;
  return parts.map((part) => (isOneKind ? markup`<p>${part}</p>` : markup`${part} `));
}

/** A value as HTML; null for none. */
function renderValue(value: Value, names: Names): Part {
  switch (value.kind) {
    case "text":
      return renderText(value);
    case "code":
      return value.text && markup`${renderCode(value.text)}${value.meaning && ` ${value.meaning}.`}`;
    case "id":
      if (value.id === null) return null;
      return value.noun === null
        ? renderCode(value.id)
        : renderIdLink(pathOf(value.noun), value.id, names.get(value.id));
    case "status":
      return renderStatus(value.word, value.tone);
    case "amount":
      return markup`<span class="amount"${value.rounded !== value.exact && markup` title="${value.exact}"`}>${value.rounded}</span>`;
    case "instant":
      return value.at && markup`${renderTime(value.at)}${value.by && ` by ${value.by}`}`;
    case "count":
      return value.count === null ? null : renderCount(value.count);
  }
}

const readPlain = (value: Value | undefined) => {
  if (value === undefined) return null;
  return value.kind === "text" && value.origin !== undefined ? readForeign(value.text) : toPlain(value);
};

type PageColumn = Pick<ColumnShape, "name"> & Partial<Pick<ColumnShape, "page" | "isRight">>;

/** Whether a value is neither missing nor zero. */
function isFilled(value: Value | undefined): boolean {
  const plain = value && toPlain(value);
  return plain !== undefined && plain !== null && plain !== "" && Number(plain) !== 0;
}

/** A column of described rows. */
const buildColumn = (
  { name, page = "always", isRight = false }: PageColumn,
  index: number,
  names: Names,
): Column<Pick<Row, "cells">> => ({
  name,
  isRight,
  isShown: (rows) => page === "always" || (page === "filled" && rows.some(({ cells }) => isFilled(cells[index]))),
  text: ({ cells }) => readPlain(cells[index]),
  cell: ({ cells }) => {
    const value = cells[index];
    const part = value && renderValue(value, names);
    return part === null || part === undefined || part === "" ? markup`<span class="none">–</span>` : part;
  },
});

/** Columns of described rows. `names` may be filled until the rows are shown. */
export const buildColumns = (columns: readonly PageColumn[], names: Names): readonly Column<Pick<Row, "cells">>[] =>
  columns.map((column, index) => buildColumn(column, index, names));

/** Described rows as a table, without a column that repeats what the page is about. */
export const buildNounTable = (
  visit: Visit,
  { name, list }: Noun,
  rows: readonly Row[],
  {
    without = "",
    names = new Map(),
    ...cut
  }: { readonly without?: string; readonly names?: Names; readonly rowsMax?: number } = {},
): Table =>
  buildTable(visit, {
    ...cut,
    name,
    none: list.none,
    columns: withoutColumn(buildColumns(list.columns, names), without),
    rows,
  });

/** A table about one row. */
const buildPartTable = (visit: Visit, { name, none, columns, rows }: PartTable, names: Names = new Map()): Table => {
  const shapes = columns.map((column, index) => ({
    name: column,
    isRight: rows.some((cells) => cells[index]?.kind === "amount"),
  }));
  return buildTable(visit, {
    name,
    none,
    columns: buildColumns(shapes, names),
    rows: rows.map((cells) => ({ cells })),
  });
};

/** The same under its title, which `place` leads to. */
export function buildPart(
  visit: Visit,
  part: PartTable,
  { names, place }: { readonly names?: Names; readonly place?: string } = {},
): { table: Table; html: Html } {
  const table = buildPartTable(visit, part, names);
  const { title, lead } = part;
  return {
    table,
    html: markup`<h2${place !== undefined && markup` id="${place}"`}>${title}</h2>
      ${lead && markup`<p class="lead">${lead}</p>`} ${table}`,
  };
}

/** The tables about one row, each under its title. */
export const buildParts = (visit: Visit, { page }: Pick<Row, "page">, names: Names = new Map()) =>
  (page?.tables ?? []).map((part) => buildPart(visit, part, { names }));
