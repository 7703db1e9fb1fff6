/** Commands of the nouns that `packages/desk` describes. */
import type { ColumnShape, Given, Noun, NounAct, NounList, NounShow, Row } from "@cardkeep/desk/noun";
import { createVerbSource, type DeskSource } from "@cardkeep/desk/source";
import type { Value } from "@cardkeep/desk/value";
import { type Command, buildRouteMap, type RouteMap } from "@stricli/core";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { describeIssue } from "./describeIssue.ts";
import { UsageError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, parseChoice, parseNumber, parseText, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { type Cell, joinTexts, phrase, type Text } from "./texts.ts";

/** A value on a terminal; a code with a meaning takes two lines. */
function toCells(value: Value): Cell[] {
  switch (value.kind) {
    case "text":
      return [value.text];
    case "code":
      return value.meaning === undefined ? [value.text] : [value.text, value.meaning];
    case "id":
      return [value.id];
    case "status":
      return [value.word];
    case "amount":
      return [value.rounded === value.exact ? value.exact : value];
    case "instant":
      return [value.at !== null && value.by ? phrase`${value.at} by ${value.by}` : value.at];
    case "count":
      return [value.count === null ? null : String(value.count)];
  }
}

/** Rows as a table, with the columns that a terminal shows. */
function renderRows(columns: readonly ColumnShape[], rows: readonly Pick<Row, "cells">[], none: string): Text {
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

/** A row by its fields, or as a table of one where the noun has no fields. */
const renderRow = ({ show, list }: Noun, row: Row): Text =>
  show === null
    ? renderRows(list.columns, [row], "")
    : renderFields(row.fields.map(([name, values]) => [name, values.flatMap(toCells)]));

/** Flags and arguments by their names: those that the noun describes. */
type Flags = Readonly<Record<string, string | number | undefined>>;

/** The library infers flags from a literal; a description has them as data. */
const describeParameters = <P>(parameters: object): P => parameters as P;

const buildFilters = ({ filters, isWhole }: NounList): object => ({
  ...Object.fromEntries(
    Object.entries(filters).map(([name, { values, placeholder, brief }]) => [
      name,
      values === undefined
        ? optionalText(placeholder, brief)
        : { kind: "enum", values, optional: true, placeholder, brief },
    ]),
  ),
  ...(!isWhole && { limit }),
});

/** `--json` and the like are no words. */
const readWords = (flags: Flags): Given =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) =>
      ["string", "number"].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );

function buildList(noun: Noun): Command<CliContext> {
  const { list } = noun;
  const { columns, none, hint, isWhole } = list;
  return buildVerb<Flags, []>({
    ...list,
    parameters: describeParameters({ flags: withJson(buildFilters(list)) }),
    run: async (cli: CliContext, flags: Flags) => {
      const asked = isWhole ? Number.POSITIVE_INFINITY : Number(flags.limit);
      const rows = await sourceOf(cli).list(noun, readWords(flags), { after: null, limit: asked });
      const text = renderRows(columns, rows, `${none}${hint && ` ${hint}`}`);
      return { data: rows.map(({ data }) => data), text: joinTexts(text, formatMoreHint(rows, asked)) };
    },
  });
}

/** The rows of `--server`, or those of the verbs here. The guard of the command has the operator's reason. */
const sourceOf = (cli: CliContext): DeskSource => cli.remote ?? createVerbSource(() => cli.open());

/** The row's key, then the inputs that are arguments. */
function buildArguments({ argument }: Noun, inputs: NounAct["inputs"] = {}): object {
  const others = Object.values(inputs).filter(({ isArgument }) => isArgument);
  const rows = [{ placeholder: argument.name, brief: argument.brief, values: argument.values }, ...others];
  return {
    kind: "tuple",
    parameters: rows.map(({ placeholder, brief, values }) => ({
      parse: values === undefined ? parseText : parseChoice(values),
      placeholder,
      brief,
    })),
  };
}

const buildShow = (noun: Noun, show: NounShow): Command<CliContext> =>
  buildVerb<Flags, readonly string[]>({
    ...show,
    parameters: describeParameters({ flags: withJson({}), positional: buildArguments(noun) }),
    run: async (cli: CliContext, _: Flags, key = "") => {
      const row = await sourceOf(cli).show(noun, key);
      return { data: row.data, text: renderRow(noun, row) };
    },
  });

const toKebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function buildAct(noun: Noun, name: string, act: NounAct): Command<CliContext> {
  const named = Object.entries(act.inputs);
  const flags = named
    .filter(([, { isArgument }]) => !isArgument)
    .map(([name, { placeholder, brief, values, isNumber }]) => {
      const parse = values !== undefined ? parseChoice(values) : isNumber ? parseNumber : parseText;
      return [name, { kind: "parsed", parse, optional: true, placeholder, brief }] as const;
    });
  const ordered = named.filter(([, { isArgument }]) => isArgument).map(([name]) => name);
  return buildChange<Flags, readonly string[]>({
    ...act,
    parameters: describeParameters({
      flags: withReason(Object.fromEntries(flags)),
      positional: buildArguments(noun, act.inputs),
    }),
    run: async (cli: CliContext, given: Flags, key = "", ...words: readonly string[]): Promise<Answer> => {
      const input = { ...readWords(given), ...Object.fromEntries(ordered.map((name, index) => [name, words[index]])) };
      const fault = act.check(key, input, describeIssue);
      if (fault !== null) throw new UsageError(`Invalid value for --${toKebab(fault.field)}: ${fault.message}`);
      const row = await sourceOf(cli).act(noun, name, key, input);
      return { data: row.data, text: renderRow(noun, row) };
    },
  });
}

/** The commands of a noun, and those that only a terminal has. */
export function buildNoun(noun: Noun, more: Readonly<Record<string, Command<CliContext>>> = {}): RouteMap<CliContext> {
  const acts = Object.entries(noun.acts).map(([name, act]) => [name, buildAct(noun, name, act)] as const);
  return buildRouteMap<string, CliContext>({
    docs: { brief: noun.brief },
    routes: {
      list: buildList(noun),
      ...(noun.show && { show: buildShow(noun, noun.show) }),
      ...Object.fromEntries(acts),
      ...more,
    },
  });
}
