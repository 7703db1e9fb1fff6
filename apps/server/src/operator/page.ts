/**
 * What the operator's pages are made of.
 *
 * - visit: one request by somebody who is signed in. - page: a title and what stands below it.
 * - action: what a form does; it answers where to go on to.
 */
import type { OperatorContext } from "@cardkeep/domain/context";
import type { Html } from "@cardkeep/html/markup";

export interface Visit {
  readonly ctx: OperatorContext;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of its path. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Page {
  readonly title: string;
  readonly body: Html;
}

/** @throws CardkeepError for what is not there */
export type ShowPage = (visit: Visit) => Promise<Page>;

/** @throws CardkeepError for what is refused */
export type Action = (visit: Visit & { readonly form: URLSearchParams }) => Promise<string>;

/** One of some values, by the query's word for it; null for none or another. */
export const readChoice = <T extends string>({ query }: Visit, name: string, values: readonly T[]): T | null =>
  values.find((value) => value === query.get(name)) ?? null;

/** An address on these pages. */
export function linkTo(path: string, query: Readonly<Record<string, string | number | null>> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The same page with other values in its query. */
export const linkWith = ({ path, query }: Visit, change: Readonly<Record<string, string | null>>): string =>
  linkTo(path, { ...Object.fromEntries(query), done: null, count: null, ...change });

/** Rows of one page of a list. */
const pageSize = 50;

/** What a list is asked for: its place, and one row more than are shown. */
export const readPlace = ({ query }: Visit): { after: string | null; limit: number } => ({
  after: query.get("after"),
  limit: pageSize + 1,
});

/** The rows that are shown, and the last of them where more follow. */
export function splitPage<T extends { id: string }>(rows: readonly T[]): { shown: T[]; last: string | null } {
  const shown = rows.slice(0, pageSize);
  return { shown, last: rows.length > pageSize ? (shown.at(-1)?.id ?? null) : null };
}
