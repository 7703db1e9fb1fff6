/** Tools of the operator's nouns: lists and rows, and acts where changes are allowed. */
import { fail } from "@cardkeep/contract/core/errors";
import { type Filter, type Input, type Noun, type NounAct, type NounShow, type Row } from "@cardkeep/desk/noun";
import { isForPeople } from "@cardkeep/desk/isForPeople";
import { deskNouns } from "@cardkeep/desk/nouns";
import { findFilterFault } from "@cardkeep/desk/filterWords";
import type { DeskSource } from "@cardkeep/desk/source";
import type { Value } from "@cardkeep/desk/value";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { buildTool } from "./buildTool.ts";
import { type AssistantOptions, hidden, nameTool, type Tool } from "./tool.ts";

const [limitDefault, limitMax] = [20, 100];

/** A value for an assistant: text of strangers is marked, and people are hidden unless they were asked for. */
export function toData(value: Value, { showsPeople }: Pick<AssistantOptions, "showsPeople">): unknown {
  switch (value.kind) {
    case "text":
      if (value.text === null) return null;
      if (value.origin === "person" && !showsPeople) return hidden;
      return value.origin === undefined ? value.text : { untrusted: value.text };
    case "code":
      return value.text;
    case "id":
      return value.id;
    case "status":
      return value.word;
    case "amount":
      return value.exact;
    case "instant":
      return value.at?.toISOString() ?? null;
    case "count":
      return value.count === null ? null : String(value.count);
  }
}

const describeWord = ({ brief, values }: Pick<Filter | Input, "brief" | "values">) => ({
  type: "string",
  description: brief,
  ...(values && { enum: values }),
});

const describeWords = (words: Readonly<Record<string, Pick<Filter | Input, "brief" | "values">>>) =>
  Object.fromEntries(Object.entries(words).map(([name, word]) => [name, describeWord(word)]));

const showFields = ({ key, fields, cells }: Row, noun: Noun, options: AssistantOptions) => {
  const named =
    fields.length === 0
      ? noun.list.columns.map(({ name }, index) => [name, cells.slice(index, index + 1)] as const)
      : fields;
  return {
    key,
    ...Object.fromEntries(
      named.map(([name, values]) => {
        const all = values.map((value) => toData(value, options));
        return [name, all.length > 1 ? all : (all[0] ?? null)];
      }),
    ),
  };
};

const nameCells = (columns: readonly string[], cells: readonly Value[], options: AssistantOptions) =>
  Object.fromEntries(columns.map((name, index) => [name, cells[index] ? toData(cells[index], options) : null]));

const readLimit = (given: string | undefined): number => {
  const limit = given === undefined ? limitDefault : Number(given);
  const text = `limit must be a whole number from 1 to ${limitMax}`;
  return Number.isInteger(limit) && limit >= 1 && limit <= limitMax ? limit : fail("request.invalid", { text });
};

const buildListTool = (noun: Noun, source: DeskSource, options: AssistantOptions): Tool =>
  buildTool({
    name: nameTool(noun.name, "list"),
    description: `${noun.list.brief}.`,
    isChange: false,
    properties: {
      ...describeWords(noun.list.filters),
      limit: { type: "integer", minimum: 1, maximum: limitMax, default: limitDefault },
      after: { type: "string", description: "`next` of the page before" },
    },
    run: async ({ limit, after, ...given }) => {
      const asked = readLimit(limit);
      const words = Object.entries(given).flatMap(([name, word]) =>
        word === undefined ? [] : [[name, word] as const],
      );
      const fault = findFilterFault(noun.list, words);
      if (fault !== null) fail("request.invalid", { text: fault });
      const rows = await source.list(noun, given, { after: after ?? null, limit: asked });
      const columns = noun.list.columns.map(({ name }) => name);
      return {
        rows: rows.map(({ key, cells }) => ({ key, ...nameCells(columns, cells, options) })),
        next: rows.length < asked ? null : (rows.at(-1)?.key ?? null),
      };
    },
  });

const buildShowTool = (noun: Noun, show: NounShow, source: DeskSource, options: AssistantOptions): Tool =>
  buildTool({
    name: nameTool(noun.name, "show"),
    description: `${show.brief}.`,
    isChange: false,
    properties: { key: describeWord(noun.argument) },
    required: ["key"],
    run: async ({ key = "" }) => showFields(await source.show(noun, key), noun, options),
  });

const buildOverviewTool = (noun: Noun, brief: string, source: DeskSource, options: AssistantOptions): Tool =>
  buildTool({
    name: nameTool(noun.name, "overview"),
    description: `${brief}.`,
    isChange: false,
    properties: {},
    run: async () => {
      const { tables } = await source.overview(noun);
      return Object.fromEntries(
        tables.map(({ title, columns, rows }) => [title, rows.map((cells) => nameCells(columns, cells, options))]),
      );
    },
  });

function buildActTool(noun: Noun, name: string, act: NounAct, { source, options }: Context): Tool {
  const reason = { type: "string", description: "Why, for the action log. It is kept for ever: give no personal data" };
  const { needsReason } = findVerbRow(act.verb);
  const needed = Object.entries(act.inputs).flatMap(([input, { isRequired }]) => (isRequired ? [input] : []));
  return buildTool({
    name: nameTool(noun.name, name),
    description: `${act.brief}. It changes something, in the name of the operator.`,
    isChange: true,
    properties: { ...(!act.isKeyless && { key: describeWord(noun.argument) }), ...describeWords(act.inputs), reason },
    required: [...(act.isKeyless ? [] : ["key"]), ...needed, ...(needsReason ? ["reason"] : [])],
    run: async ({ key = "", ...given }) => showFields(await source.act(noun, name, key, given), noun, options),
  });
}

interface Context {
  readonly source: DeskSource;
  readonly options: AssistantOptions;
  /** Who calls. Each call checks the roles again. */
  readonly operator: Pick<OperatorActor, "roles">;
}

/** The tools of the verbs that the operator's roles allow. */
export const listDeskTools = (context: Context): Tool[] =>
  deskNouns.flatMap((noun) => {
    const { list, show, overview, acts } = noun;
    const { source, options, operator } = context;
    const allowed = Object.entries(acts).filter(([, act]) => !isForPeople(act) && hasRole(operator, act.verb));
    return [
      ...(hasRole(operator, list.verb) ? [buildListTool(noun, source, options)] : []),
      ...(overview && hasRole(operator, overview.verb)
        ? [buildOverviewTool(noun, overview.brief, source, options)]
        : []),
      ...(show !== null && hasRole(operator, show.verb) ? [buildShowTool(noun, show, source, options)] : []),
      ...(options.allowsChanges ? allowed.map(([name, act]) => buildActTool(noun, name, act, context)) : []),
    ];
  });
