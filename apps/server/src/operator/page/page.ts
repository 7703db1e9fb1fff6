/**
 * Types and helpers of the operator's pages.
 *
 * - visit: one request by a signed-in operator.
 * - page: a title and a body.
 * - action: the work of a form; it returns the next address, a file, or a page whose address must not hold what the form sent.
 */
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import type { OperatorChange, OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { Html } from "@cardkeep/html/markup";

export interface Visit {
  readonly ctx: OperatorContext;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/** A rendered table of `table.ts`, to be inserted into the page's body and named in its `tables`. */
export interface Table extends Html {
  readonly name: string;
  /** Whether the page shows a row. */
  readonly isFilled: boolean;
  /** Its CSV: one text for each page of rows, the first with the header row. */
  listRecords(): AsyncGenerator<string>;
}

/** What a list shows in addition to its rows. */
export interface Beside {
  readonly before?: Html;
  /** Above its rows, below its filters. */
  readonly pictures?: Html;
  readonly after?: Html;
  readonly tables?: readonly Table[];
  /** Forms that make rows are on pages of their own. */
  readonly hasOwnForms?: true;
  /** See `Page`. */
  readonly isStill?: boolean;
}

export interface Page {
  readonly title: string;
  /** Its address by its row's id, where the one that was asked for may name a person otherwise. */
  readonly path?: string;
  readonly body: Html;
  /** The tables in its body. `?format=csv&table=<name>` answers one as CSV; without a name, the first. */
  readonly tables?: readonly Table[];
  /** Whether what it shows changes within seconds: the browser reads it again sooner. */
  readonly isChanging?: boolean;
  /** The browser does not read it again by itself: each reading costs seconds. */
  readonly isStill?: boolean;
}

/** Whether the operator's roles allow a verb: a page leaves out what they do not. */
export const may = ({ ctx }: Pick<Visit, "ctx">, verb: OperatorVerb): boolean => hasRole(ctx.actor, verb);

/** @throws CardkeepError for an unknown id */
export type ShowPage = (visit: Visit) => Promise<Page>;

/** Answers the next address, a page, or a file. @throws CardkeepError for a rejected action */
export type Action = (visit: Visit & { readonly form: URLSearchParams }) => Promise<string | Page | Response>;

/** A page with its verb, by which roles are checked before it runs. */
export interface PageRoute {
  readonly verb: OperatorVerb;
  readonly show: ShowPage;
}

/** A form with its verb. */
export interface FormRoute {
  readonly verb: OperatorVerb;
  readonly act: Action;
  /** Of its body; the bound of other routes without. */
  readonly bytesMax?: number | undefined;
  /** Of one that changes something: it is carried out once. */
  readonly once?: { readonly verb: OperatorChange; readonly endsAfterCommit: boolean };
}

/** One of several values, by its word in the query; null for none or an unknown one. */
export const readChoice = <T extends string>({ query }: Visit, name: string, values: readonly T[]): T | null =>
  values.find((value) => value === query.get(name)) ?? null;

/** An address on these pages. */
export function linkTo(path: string, query: Readonly<Record<string, string | number | null>> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The same page with a changed query. */
export const linkWith = ({ path, query }: Visit, change: Readonly<Record<string, string | null>>): string =>
  linkTo(path, { ...Object.fromEntries(query), done: null, count: null, format: null, table: null, ...change });

/** A text of the query; null for none. */
export const readText = ({ query }: Visit, name: string): string | null => (query.get(name) ?? "").trim() || null;
