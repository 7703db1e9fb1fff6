/** The index of the documents' search: pages, routes, fields, guides, events, errors, declines and state machines. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import {
  pathOfDecline,
  pathOfError,
  pathOfEvent,
  pathOfGuide,
  pathOfMachine,
  pathOfNoun,
  pathOfRoute,
} from "@cardkeep/contract/openapi/documents";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { eventOccasions } from "@cardkeep/contract/partners/events";
import { listStates } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { apiPrefix, listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema, listFields, splitInput, type WireField } from "@cardkeep/contract/core/wireSchema";
import MiniSearch from "minisearch";
import { describeText } from "./errors.ts";
import { guides } from "./guides/guides.ts";
import { listPassages } from "./guides/renderGuide.ts";
import { acts, anchorOfAct, nameAct } from "./acts.ts";
import { actsPath, pages, settingsPath } from "./pages.ts";
import { type SearchEntry, type SearchIndex, type SearchPhrase, searchOptions } from "./searchOptions.ts";
import { anchorOfSetting, settings } from "./settings.ts";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { searchWords } from "./searchWords.ts";

type Found = Omit<SearchEntry, "id">;

const all = listRoutes(routes);

/** Each passage of a guide, and the guide itself by its summary. */
const listGuides = (): Found[] =>
  guides.flatMap(({ slug, title, summary, text }): Found[] => [
    { kind: "Guide", title, text: summary, slug, href: pathOfGuide(slug) },
    ...listPassages(text)
      .filter(({ title: heading }) => !heading.startsWith("Decisions"))
      .map(({ id, title: heading, body }): Found =>
        id === null
          ? { kind: "Guide", title, text: summary, body, slug, href: pathOfGuide(slug) }
          : { kind: "Guide", title: heading, text: title, body, href: `${pathOfGuide(slug)}#${id}` },
      ),
  ]);

const listRouteEntries = (): Found[] =>
  all.map(({ name, route }) => ({
    kind: "Route",
    title: `${route.method} ${apiPrefix}${route.path}`,
    text: `${route.summary} (${name})`,
    href: pathOfRoute(name),
  }));

/** Fields of the first two levels of a route, each name with its meaning once. */
function listFieldEntries(): Found[] {
  const entries = new Map<string, Found>();
  const add = (name: string, part: string, fields: readonly WireField[], prefix = ""): void => {
    for (const { name: field, schema } of fields) {
      const text = schema.description ?? "";
      const href = `${pathOfNoun(name.split(".")[0] ?? "")}#${name}-${part}`;
      const entry: Found = { kind: "Field", title: prefix + field, text: `${text} (${name})`, href };
      const key = `${field} ${text}`;
      if (!entries.has(key)) entries.set(key, entry);
      if (prefix === "") add(name, part, listFields(schema), `${field}.`);
    }
  };
  for (const { name, route } of all) {
    const { path, query, body } = splitInput(route);
    add(name, "path", path);
    add(name, "query", query);
    if (body) add(name, "body", listFields(body));
    const output = buildWireSchema(route.output);
    const { items } = output;
    add(name, "answer", listFields(typeof items === "object" && !Array.isArray(items) ? items : output));
  }
  return [...entries.values()];
}

const listCatalogues = (): Found[] => [
  ...Object.entries(eventOccasions).map(([type, occasion]): Found => ({
    kind: "Event",
    title: type,
    text: occasion,
    href: pathOfEvent(type),
  })),
  // The catalogue's keys are its codes.
  ...keysOf(errors).map((code): Found => ({
    kind: "Error",
    title: code,
    text: `${errors[code].status} ${describeText(code)}`,
    href: pathOfError(code),
  })),
  ...[...declineCatalogue].map(([code, { happened }]): Found => ({
    kind: "Decline",
    title: code,
    text: happened,
    href: pathOfDecline(code),
  })),
  ...machines.map((machine): Found => ({
    kind: "State machine",
    title: machine.name,
    text: listStates(machine).join(", "),
    href: pathOfMachine(machine),
  })),
  ...settings.map(({ name, description }): Found => ({
    kind: "Setting",
    title: name,
    text: description,
    href: `${settingsPath}#${anchorOfSetting(name)}`,
  })),
  ...acts.map((verb): Found => ({
    kind: "Act",
    title: nameAct(verb),
    text: findVerbRow(verb).text,
    href: `${actsPath}#${anchorOfAct(verb)}`,
  })),
];

/** Whole pages: the catalogues and the subjects of the reference. Guides stand for themselves. */
const listPages = (): Found[] =>
  pages
    .filter(({ group }) => group === "Catalogues" || group === "Reference")
    .map(({ path, title, summary }) => ({ kind: "Page", title, text: summary, href: path }));

/** What newcomers type, each phrase a passage of its address: so words of two questions do not add up. */
function listPhrases(found: readonly Found[]): Omit<SearchPhrase, "id">[] {
  // The first entry of an address is the one that is shown.
  const places = new Map(found.map(({ href }, id) => [href, id] as const).toReversed());
  return [...places].flatMap(([href, of]) => (searchWords[href]?.split(", ") ?? []).map((words) => ({ words, of })));
}

/** The index of all documents. */
export function buildSearch(): SearchIndex {
  const index: SearchIndex = new MiniSearch(searchOptions);
  const found = [...listGuides(), ...listPages(), ...listRouteEntries(), ...listFieldEntries(), ...listCatalogues()];
  index.addAll(found.map((entry, id) => ({ ...entry, text: entry.text.replaceAll("`", ""), id })));
  index.addAll(listPhrases(found).map((phrase, at) => ({ ...phrase, id: found.length + at })));
  return index;
}

/** The index as JSON, for `MiniSearch.loadJSON` with the same options. */
export const buildSearchIndex = (): string => JSON.stringify(buildSearch());
