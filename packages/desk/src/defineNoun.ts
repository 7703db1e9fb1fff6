/** Makes a noun of a typed description: what it reads and runs is checked against the domain's verbs. */
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { findWordFault } from "./filterWords.ts";
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
  PageParts,
  Position,
  Row,
} from "./noun.ts";
import type { Value } from "./value.ts";

export interface Column<R> {
  readonly name: string;
  readonly of: (row: R) => Value;
  readonly terminal?: ColumnShape["terminal"];
  readonly isRight?: boolean;
  readonly page?: ColumnShape["page"];
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

export type Fields = readonly (readonly [string, Value | readonly Value[]])[];

interface ShowOf<R, S> extends Omit<NounShow, "read"> {
  readonly read: (ctx: OperatorContext, key: string) => Promise<S>;
  readonly rowOf: (shown: S) => R;
  readonly fields: (shown: S) => Fields;
  readonly page?: (shown: S) => PageParts;
}

/** A noun that also describes rows that were read otherwise. */
export interface DescribedNoun<R, S> extends Noun {
  describe(row: R): Row;
  /** One row with its fields. */
  describeShown(shown: S): Row;
}

/** What an act answers where that is not the row: the row is gone, or a secret is shown once. */
export class Answered {
  constructor(
    readonly key: string,
    readonly data: unknown,
    readonly fields: Fields,
    /** Where an act shows a secret for some rows alone. */
    readonly isShownOnce = false,
  ) {}
}

/** The row after an act that made a row of another noun. */
export class Made<R> {
  constructor(
    readonly row: R,
    readonly made: NonNullable<Row["made"]>,
  ) {}
}

/** A change of a noun. */
export interface ActOf<R> extends Omit<NounAct, "inputs" | "isOfRow" | "check" | "run"> {
  readonly check?: NounAct["check"];
  readonly inputs?: Readonly<Record<string, Input>>;
  /** How a row offers it; null where it would be refused. An act without is offered beside the list: it makes a row. */
  readonly offer?: (row: R) => Offer | null;
  readonly run?: (ctx: OperatorContext, key: string, given: Given) => Promise<R | Made<R> | Answered>;
}

interface NounOf<R, S, F extends Filters> extends Pick<Noun, "name" | "title" | "group" | "brief" | "overview"> {
  readonly argument: Argument;
  readonly keyOf: (row: R) => string;
  readonly list: ListOf<R, F>;
  readonly show?: ShowOf<R, S>;
  readonly acts?: Readonly<Record<string, ActOf<R>>>;
}

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);

/** One of a filter's words; a word that it does not have chooses nothing. */
const readWord = (filter: Filter, given: string | undefined): string | null => {
  const word = given?.trim() ?? "";
  return word === "" || findWordFault(filter, word) !== null ? null : word;
};

const nameFields = (fields: Fields): Row["fields"] =>
  fields.map(([name, value]) => [name, isList(value) ? value : [value]] as const);

/** Builds a noun. */
export function defineNoun<R, S, const F extends Filters>(noun: NounOf<R, S, F>): DescribedNoun<R, S> {
  const { list, show, acts = {}, keyOf, argument } = noun;
  const describe = (row: R): Row => ({
    key: keyOf(row),
    data: row,
    cells: list.columns.map(({ of }) => of(row)),
    fields: [],
    offers: Object.fromEntries(
      Object.entries(acts).flatMap(([name, { offer }]) => {
        const offered = offer?.(row) ?? null;
        return offered === null ? [] : [[name, offered] as const];
      }),
    ),
  });
  const describeShown = (of: ShowOf<R, S>, shown: S): Row => {
    const row = { ...describe(of.rowOf(shown)), data: shown, fields: nameFields(of.fields(shown)) };
    return of.page === undefined ? row : { ...row, page: of.page(shown) };
  };
  const readShown = async (of: ShowOf<R, S>, ctx: OperatorContext, key: string): Promise<Row> =>
    describeShown(of, await of.read(ctx, key));
  /** What was done stays done where the row is gone by now, such as a job that has run. */
  const orDescribed =
    (row: R) =>
    (error: unknown): Row => {
      if (error instanceof CardkeepError && error.status === 404) return describe(row);
      throw error;
    };
  const checkKey = (key: string): string =>
    argument.values === undefined || argument.values.includes(key) ? key : fail("request.not_found");
  return {
    ...noun,
    describe,
    describeShown: (shown) => (show === undefined ? fail("request.not_found") : describeShown(show, shown)),
    list: {
      ...list,
      hint: list.hint ?? "",
      isWhole: list.isWhole ?? false,
      columns: list.columns.map(({ name, terminal = "fixed", isRight = false, page = "always" }) => ({
        name,
        terminal,
        isRight,
        page,
      })),
      read: async (ctx, given, position) => {
        const choice = Object.fromEntries(
          Object.entries(list.filters).map(([name, filter]) => [name, readWord(filter, given[name])]),
        ) as Choice<F>;
        return (await list.read(ctx, { ...choice, ...position })).map(describe);
      },
    },
    show: show === undefined ? null : { ...show, read: (ctx, key) => readShown(show, ctx, key) },
    acts: Object.fromEntries(
      Object.entries(acts).map(([name, act]): [string, NounAct] => [
        name,
        {
          ...act,
          inputs: act.inputs ?? {},
          check: act.check ?? (() => null),
          isOfRow: act.offer !== undefined,
          run: async (ctx, key, given) => {
            if (act.run === undefined) return fail("request.invalid", { text: "This act answers a file" });
            const done = await act.run(ctx, act.isKeyless ? key : checkKey(key), given);
            if (done instanceof Answered) return { ...done, cells: [], fields: nameFields(done.fields), offers: {} };
            const [row, made] = done instanceof Made ? [done.row, { made: done.made }] : [done, {}];
            const read =
              show === undefined ? describe(row) : await readShown(show, ctx, keyOf(row)).catch(orDescribed(row));
            return { ...read, ...made };
          },
        },
      ]),
    ),
  };
}

/** One of some words. @throws request.invalid */
export const chooseGiven = <const V extends string>(values: readonly V[], given: string | undefined): V =>
  values.find((value) => value === given) ?? fail("request.invalid");
