/** Commands of the nouns that `packages/desk` describes. */
import { writeWord } from "@cardkeep/desk/input";
import type { Filter, Given, Input, Noun, NounAct, NounList, NounShow } from "@cardkeep/desk/noun";
import { createVerbSource, type DeskSource } from "@cardkeep/desk/source";
import { type Command, buildRouteMap, type RouteMap } from "@stricli/core";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { describeIssue } from "./describeIssue.ts";
import { UsageError } from "./errors.ts";
import { readJsonFile, readTextFile } from "./inputFile.ts";
import { formatMoreHint, limit } from "./lists.ts";
import {
  optionalSwitch,
  optionalText,
  parseBy,
  parseChoice,
  parseNumber,
  parseText,
  withJson,
  withReason,
} from "./parameters.ts";
import { renderRow, renderRows } from "./renderNoun.ts";
import { joinTexts } from "./texts.ts";

/** Flags and arguments by their names: those that the noun describes. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The library infers flags from a literal; a description has them as data. */
export const describeParameters = <P>(parameters: object): P => parameters as P;

const buildFilter = ({ values, schema, placeholder, brief, isSwitch }: Filter): object => {
  if (isSwitch) return optionalSwitch(brief);
  return values === undefined
    ? { ...optionalText(placeholder, brief), ...(schema && { parse: parseBy(schema) }) }
    : { kind: "enum", values, optional: true, placeholder, brief };
};

const buildFilters = ({ filters, isWhole }: NounList): object => ({
  ...Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => {
      if (filter.isArgument) return [];
      if (!filter.isFlags) return [[name, buildFilter(filter)] as const];
      return (filter.values ?? []).map((word) => [word, optionalSwitch(`${filter.brief}: ${word}`)] as const);
    }),
  ),
  ...(!isWhole && { limit }),
});

/** The words of the flags that a noun describes: `--json` and the like are no words. */
export const readWords = (shapes: Readonly<Record<string, Filter | Input>>, flags: Flags): Given =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const value = "isFlags" in shape ? chooseFlag(shape, flags) : flags[name];
      const word = value === undefined ? null : writeWord(shape, value);
      return word === null ? [] : [[name, word]];
    }),
  );

/** The word whose flag is given. @throws UsageError for several */
function chooseFlag({ values = [] }: Filter, flags: Flags): string | undefined {
  const [word, another] = values.filter((name) => flags[name] === true);
  if (another !== undefined) throw new UsageError(`--${word} and --${another} exclude each other.`);
  return word;
}

export const listArguments = <S extends Filter | Input>(shapes: Readonly<Record<string, S>>): [string, S][] =>
  Object.entries(shapes).filter(([, { isArgument }]) => isArgument);

function buildList(noun: Noun): Command<CliContext> {
  const { list } = noun;
  const { columns, none, hint, isWhole, filters } = list;
  const ordered = listArguments(filters);
  return buildVerb<Flags, readonly string[]>({
    ...list,
    parameters: describeParameters({
      flags: withJson(buildFilters(list)),
      positional: {
        kind: "tuple",
        parameters: ordered.map(([, { placeholder, brief }]) => ({
          parse: parseText,
          placeholder,
          brief,
          optional: true,
        })),
      },
    }),
    run: async (cli: CliContext, flags: Flags, ...words: readonly string[]) => {
      const asked = isWhole ? Number.POSITIVE_INFINITY : Number(flags["limit"]);
      const given = { ...readWords(filters, flags), ...nameWords(ordered, words) };
      const rows = await sourceOf(cli).list(noun, given, { after: null, limit: asked });
      const text = renderRows(columns, rows, `${none}${hint && ` ${hint}`}`);
      return { data: rows.map(({ data }) => data), text: joinTexts(text, formatMoreHint(rows, asked)) };
    },
  });
}

/** The rows of `--server`, or those of the verbs here. The guard of the command has the operator's reason. */
export const sourceOf = (cli: CliContext): DeskSource => cli.remote ?? createVerbSource(() => cli.open());

/** The row's key, unless it takes none, then the inputs that are arguments. */
export function buildArguments(
  { argument }: Noun,
  { inputs, isKeyless }: Pick<NounAct, "inputs" | "isKeyless">,
): object {
  const { name: placeholder, brief, values, schema } = argument;
  const own = { parse: values ? parseChoice(values) : schema ? parseBy(schema) : parseText, placeholder, brief };
  const others = listArguments(inputs).map(([, shape]) => ({
    parse: shape.values === undefined ? parseText : parseChoice(shape.values),
    placeholder: shape.placeholder,
    brief: shape.brief,
  }));
  return { kind: "tuple", parameters: isKeyless ? others : [own, ...others] };
}

export const nameWords = (ordered: readonly (readonly [string, unknown])[], words: readonly string[]): Given =>
  Object.fromEntries(ordered.map(([name], index) => [name, words[index]]));

const buildShow = (noun: Noun, show: NounShow): Command<CliContext> =>
  buildVerb<Flags, readonly string[]>({
    ...show,
    parameters: describeParameters({ flags: withJson({}), positional: buildArguments(noun, { inputs: {} }) }),
    run: async (cli: CliContext, _: Flags, key = "") => {
      const row = await sourceOf(cli).show(noun, key);
      return { data: row.data, text: renderRow(noun, row) };
    },
  });

const toKebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function buildInput({ placeholder, brief, values, isNumber, isSwitch, isList, isRequired }: Input): object {
  if (isSwitch) return optionalSwitch(brief);
  const parse = values !== undefined ? parseChoice(values) : isNumber ? parseNumber : parseText;
  return { kind: "parsed", parse, optional: !isRequired, variadic: isList ?? false, placeholder, brief };
}

/** Words with the contents of files in place of their paths. @throws CommandError, UsageError */
const readDocuments = (inputs: NounAct["inputs"], given: Given): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, word]) => [name, word === undefined ? word : readContent(inputs[name], word)]),
  );

function readContent(input: Input | undefined, word: string): string {
  if (input?.isJson) return JSON.stringify(readJsonFile(word));
  return input?.isFile ? readTextFile(word) : word;
}

function buildAct(noun: Noun, name: string, act: NounAct): Command<CliContext> {
  const { inputs, isKeyless } = act;
  const ordered = listArguments(inputs);
  const flags = Object.entries(inputs).flatMap(([input, shape]) =>
    shape.isArgument ? [] : [[input, buildInput(shape)] as const],
  );
  return buildChange<Flags, readonly string[]>({
    ...act,
    parameters: describeParameters({
      flags: withReason(Object.fromEntries(flags)),
      positional: buildArguments(noun, act),
    }),
    run: async (cli: CliContext, given: Flags, ...words: readonly string[]): Promise<Answer> => {
      const [key = "", ...others] = isKeyless ? ["", ...words] : words;
      // A command that may not run reads no file.
      if (cli.remote === null && Object.values(inputs).some(({ isFile }) => isFile)) await cli.open();
      const input = readDocuments(inputs, { ...readWords(inputs, given), ...nameWords(ordered, others) });
      const fault = act.check(key, input, describeIssue);
      if (fault !== null) throw new UsageError(`Invalid value for --${toKebab(fault.field)}: ${fault.message}`);
      const reason = given["reason"];
      const row = await sourceOf(cli).act(noun, name, key, {
        ...input,
        ...(typeof reason === "string" && { reason }),
      });
      return { data: row.data, text: renderRow(noun, row) };
    },
  });
}

export type Commands = Readonly<Record<string, Command<CliContext>>>;

/** Acts of a noun under words of their own: the verb of the command, and the act. */
export const buildActs = (noun: Noun, words: Readonly<Record<string, string>>): Commands =>
  Object.fromEntries(
    Object.entries(words).flatMap(([word, name]) => {
      const act = noun.acts[name];
      return act === undefined ? [] : [[word, buildAct(noun, name, act)] as const];
    }),
  );

/** The commands of a noun by their words. */
export const buildNounRoutes = (noun: Noun): Commands => ({
  list: buildList(noun),
  ...(noun.show && { show: buildShow(noun, noun.show) }),
  // A file has a command of its own, which says where it goes.
  ...Object.fromEntries(
    Object.entries(noun.acts).flatMap(([name, act]) => (act.file ? [] : [[name, buildAct(noun, name, act)] as const])),
  ),
});

/** A noun without acts that are commands elsewhere. */
export const withoutActs = (noun: Noun, ...names: readonly string[]): Noun => ({
  ...noun,
  acts: Object.fromEntries(Object.entries(noun.acts).filter(([name]) => !names.includes(name))),
});

/** The commands of a noun, and those that only a terminal has. */
export const buildNoun = (noun: Noun, more: Commands = {}): RouteMap<CliContext> =>
  buildRouteMap<string, CliContext>({ docs: { brief: noun.brief }, routes: { ...buildNounRoutes(noun), ...more } });
