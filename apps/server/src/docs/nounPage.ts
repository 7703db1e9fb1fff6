/** The page of one noun: its routes. */
import { nouns } from "@cardkeep/contract/nouns";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { type Html, markup } from "@cardkeep/html/markup";
import type { DocsContext } from "./docsContext.ts";
import { type NamedRoute, renderRoute } from "./route.ts";

interface NounGroup {
  readonly noun: string;
  readonly title: string;
  readonly summary: string;
  readonly routes: readonly NamedRoute[];
}

const routesByNoun = Map.groupBy(listRoutes(routes), ({ noun }) => noun);

/** Every noun with its routes, in the table's order. */
export const nounGroups: readonly NounGroup[] = Object.entries(nouns).map(([noun, { title, summary }]) => ({
  noun,
  title,
  summary,
  routes: routesByNoun.get(noun) ?? [],
}));

export function renderNoun({ routes: ofNoun }: NounGroup, context: DocsContext): Html {
  const shown = new Map();
  return markup`${ofNoun.map((named) => renderRoute(named, context, shown))}`;
}
