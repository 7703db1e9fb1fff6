/** Makes a noun of a typed description: what it reads and runs is checked against the domain's verbs. */
import { fail } from "@cardkeep/contract/core/errors";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type {
  Argument,
  ColumnShape,
  Filter,
  Given,
  Input,
  Noun,
  NounAct,
  NounList,
  NounShow,
  Offer,
  Position,
  Row,
} from "./noun.ts";
import type { Value } from "./value.ts";

export interface Column<R> {
  readonly name: string;
  readonly of: (row: R) => Value;
  readonly terminal?: ColumnShape["terminal"];
  readonly isRight?: boolean;
}

type Filters = Readonly<Record<string, Filter>>;

/** The words that a list was asked for, by their filters; null for none. */
type Choice<F extends Filters> = {
  [K in keyof F]: (F[K] extends { readonly values: readonly (infer V)[] } ? V : string) | null;
};

interface ListOf<R, F extends Filters> extends Pick<NounList, "verb" | "brief" | "example" | "lead" | "none" | "note"> {
  readonly hint?: string;
  readonly isWhole?: true;
  readonly filters: F;
  readonly columns: readonly Column<R>[];
  readonly read: (ctx: OperatorContext, choice: Choice<F> & Position) => Promise<readonly R[]>;
}

interface ShowOf<R> extends Omit<NounShow, "read"> {
  readonly read: (ctx: OperatorContext, key: string) => Promise<R>;
  readonly fields: (row: R) => readonly (readonly [string, Value | readonly Value[]])[];
}

interface ActOf<R> extends Omit<NounAct, "inputs" | "isOfRow" | "check" | "run"> {
  readonly check?: NounAct["check"];
  readonly inputs?: Readonly<Record<string, Input>>;
  /** How a row offers it; null where it would be refused. An act without is offered beside the list: it makes a row. */
  readonly offer?: (row: R) => Offer | null;
  readonly run: (ctx: OperatorContext, key: string, given: Given) => Promise<R>;
}

interface NounOf<R, F extends Filters> extends Pick<Noun, "name" | "title" | "group" | "brief"> {
  readonly argument: Argument;
  readonly keyOf: (row: R) => string;
  /** What programs get of a row; the row itself without. */
  readonly dataOf?: (row: R) => unknown;
  readonly list: ListOf<R, F>;
  readonly show?: ShowOf<R>;
  readonly acts?: Readonly<Record<string, ActOf<R>>>;
}

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);

/** One of a filter's words; a word that it does not have chooses nothing. */
const readWord = ({ values }: Filter, given: string | undefined): string | null => {
  const word = given?.trim() ?? "";
  if (word === "") return null;
  return values === undefined || values.includes(word) ? word : null;
};

/** Builds a noun. */
export function defineNoun<R, const F extends Filters>(noun: NounOf<R, F>): Noun {
  const { list, show, acts = {}, keyOf, argument } = noun;
  const describe = (row: R): Row => ({
    key: keyOf(row),
    data: noun.dataOf?.(row) ?? row,
    cells: list.columns.map(({ of }) => of(row)),
    fields: show?.fields(row).map(([name, value]) => [name, isList(value) ? value : [value]] as const) ?? [],
    offers: Object.fromEntries(
      Object.entries(acts).flatMap(([name, { offer }]) => {
        const offered = offer?.(row) ?? null;
        return offered === null ? [] : [[name, offered] as const];
      }),
    ),
  });
  const checkKey = (key: string): string =>
    argument.values === undefined || argument.values.includes(key) ? key : fail("request.not_found");
  return {
    ...noun,
    list: {
      ...list,
      hint: list.hint ?? "",
      isWhole: list.isWhole ?? false,
      columns: list.columns.map(({ name, terminal = "fixed", isRight = false }) => ({ name, terminal, isRight })),
      read: async (ctx, given, position) => {
        const choice = Object.fromEntries(
          Object.entries(list.filters).map(([name, filter]) => [name, readWord(filter, given[name])]),
        ) as Choice<F>;
        return (await list.read(ctx, { ...choice, ...position })).map(describe);
      },
    },
    show: show === undefined ? null : { ...show, read: async (ctx, key) => describe(await show.read(ctx, key)) },
    acts: Object.fromEntries(
      Object.entries(acts).map(([name, act]): [string, NounAct] => [
        name,
        {
          ...act,
          inputs: act.inputs ?? {},
          check: act.check ?? (() => null),
          isOfRow: act.offer !== undefined,
          run: async (ctx, key, given) => describe(await act.run(ctx, checkKey(key), given)),
        },
      ]),
    ),
  };
}

/** One of some words. @throws request.invalid */
export const chooseGiven = <const V extends string>(values: readonly V[], given: string | undefined): V =>
  values.find((value) => value === given) ?? fail("request.invalid");
