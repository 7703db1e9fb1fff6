/**
 * Types and helpers of the operator's pages.
 *
 * - visit: one request by a signed-in operator.
 * - page: a title and a body.
 * - action: the work of a form; it returns the next address, or a page whose address must not hold what the form sent.
 */
import type { OperatorContext } from "@cardkeep/domain/context";
import { hasRole } from "@cardkeep/domain/operators/requireRole";
import type { OperatorVerb } from "@cardkeep/domain/operators/verbs";
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

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** The tables in its body. `?format=csv&table=<name>` answers one as CSV; without a name, the first. */
  readonly tables?: readonly Table[];
}

/** Whether the operator's roles allow a verb: a page leaves out what they do not. */
export const may = ({ ctx }: Pick<Visit, "ctx">, verb: OperatorVerb): boolean => hasRole(ctx.actor, verb);

/** @throws CardkeepError for an unknown id */
export type ShowPage = (visit: Visit) => Promise<Page>;

/** @throws CardkeepError for a rejected action */
export type Action = (visit: Visit & { readonly form: URLSearchParams }) => Promise<string | Page>;

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

/** Rows of one page of a list. */
const pageSize = 50;

/** Where a list page begins, and its row limit: one more than the page shows. */
export const readPosition = ({ query }: Visit): { after: string | null; limit: number } => ({
  after: query.get("after"),
  limit: pageSize + 1,
});

/** The rows of this page, and the last of them if more rows follow. */
export function splitPage<T extends { id: string }>(rows: readonly T[]): { shown: T[]; last: string | null } {
  const shown = rows.slice(0, pageSize);
  return { shown, last: rows.length > pageSize ? (shown.at(-1)?.id ?? null) : null };
}
