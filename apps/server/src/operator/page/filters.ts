/** Filters of lists: a form that reads the same page with another query. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { markup, type Html } from "@cardkeep/html/markup";
import { linkTo, readText, type Visit } from "./page.ts";

export interface Filter {
  /** Its word in the query. */
  readonly name: string;
  readonly label: string;
  /** The values to choose from; free text without. */
  readonly values?: readonly string[];
  /** Without a value, the first one counts. */
  readonly isNeeded?: boolean;
}

const renderControl = (visit: Visit, { name, label, values, isNeeded }: Filter): Html => {
  const given = readText(visit, name);
  return markup`<label
    >${label}
    ${
      values === undefined
        ? markup`<input name="${name}" value="${given}" autocomplete="off" spellcheck="false" />`
        : markup`<select name="${name}">
          ${!isNeeded && markup`<option value="">any</option>`}
          ${values.map((value) => markup`<option${value === given && markup` selected`}>${value}</option>`)}
        </select>`
    }</label
  >`;
};

/** The form. What the query has beside these filters and the position stays, such as a tab. */
export function renderFilters(visit: Visit, filters: readonly Filter[]): Html {
  const own = new Set([...filters.map(({ name }) => name), "after", "trail", "done", "count", "format", "table"]);
  const kept = [...visit.query].filter(([name]) => !own.has(name));
  const isFiltered = filters.some(({ name }) => readText(visit, name) !== null);
  return markup`<form class="filters" method="get" action="${visit.path}">
    ${kept.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}" />`)}
    ${filters.map((filter) => renderControl(visit, filter))}
    <button>Filter</button>
    ${isFiltered && markup`<a href="${linkTo(visit.path, Object.fromEntries(kept))}">Clear</a>`}
  </form>`;
}

/** The rows of a filter; none where it names a user or a card that does not exist. */
export const orNone = <Row>(rows: Promise<readonly Row[]>): Promise<readonly Row[]> =>
  rows.catch((error: unknown) => {
    if (error instanceof CardkeepError && error.status === 404) return [];
    throw error;
  });
