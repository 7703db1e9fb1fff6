/** Values and rows of the nouns that `packages/desk` describes, as text for a terminal. */
import type { ColumnShape, Noun, Overview, PartTable, Row } from "@cardkeep/desk/noun";
import type { Value } from "@cardkeep/desk/value";
import { renderFields, renderTable } from "./print.ts";
import { type Cell, joinTexts, phrase, type Text } from "./texts.ts";

/** A value on a terminal; a code with a meaning takes two lines. */
function toCells(value: Value): Cell[] {
  switch (value.kind) {
    case "text":
      return value.hasLines && value.text !== null ? value.text.split("\n") : [value.text];
    case "code":
      return value.meaning === undefined ? [value.text] : [value.text, value.meaning];
    case "id":
      return [value.id];
    case "status":
      return [value.word];
    case "amount":
      return [nameAmount(value)];
    case "instant":
      return [value.at !== null && value.by ? phrase`${value.at} by ${value.by}` : value.at];
    case "count":
      return [value.count === null ? null : String(value.count)];
  }
}

const nameAmount = ({ rounded, exact, name }: Extract<Value, { kind: "amount" }>): Cell => {
  const cell = rounded === exact ? exact : { rounded, exact };
  return name === undefined ? cell : phrase`${name}  ${cell}`;
};

/** Rows as a table, with the columns that a terminal shows. */
export function renderRows(columns: readonly ColumnShape[], rows: readonly Pick<Row, "cells">[], none: string): Text {
  const isShown = (_: unknown, index: number): boolean => columns[index]?.terminal !== "hidden";
  const shown = columns.filter(isShown).map(({ name, terminal, isRight }) => ({
    title: name.toLowerCase(),
    ...(isRight && { align: "right" as const }),
    elastic: terminal === "elastic",
    optional: terminal === "optional",
  }));
  return renderTable(
    shown,
    rows.map(({ cells }) => cells.filter(isShown).map((value) => toCells(value)[0] ?? null)),
    none,
  );
}

/** A table about one thing. */
const renderPart = ({ columns, rows, none }: PartTable): Text =>
  renderRows(
    columns.map((name, index) => ({
      name,
      terminal: "fixed",
      isRight: rows.some((cells) => cells[index]?.kind === "amount"),
      page: "always",
    })),
    rows.map((cells) => ({ cells })),
    none,
  );

/** The tables of a whole. */
export const renderOverview = ({ tables }: Overview): Text =>
  joinTexts(...tables.flatMap((part, index) => (index === 0 ? [renderPart(part)] : ["\n", renderPart(part)])));

/** A row by its fields, or as a table of one where there are none. */
export const renderRow = ({ list }: Noun, row: Row): Text =>
  row.fields.length === 0
    ? renderRows(list.columns, [row], "")
    : renderFields(row.fields.map(([name, values]) => [name, values.flatMap(toCells)]));
