/** Pages of the nouns that `packages/desk` describes: the list, and one row with its acts. */
import {
  findBytesMax,
  type Given,
  type Noun,
  type NounShow,
  type PageParts,
  type RelatedRows,
} from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { addressOf, renderActs, renderCreations, renderOffers, submitAct } from "./deskForms.ts";
import { buildColumns, buildNounTable, buildParts, pathOf, renderNamed } from "./deskTable.ts";
import { listBeside, rowBeside } from "./beside.ts";
import { readNames } from "./names.ts";
import { orNone, renderFilters } from "./page/filters.ts";
import { type FormRoute, linkTo, may, type PageRoute, readText, type ShowPage, type Visit } from "./page/page.ts";
import { renderTabs } from "./page/parts.ts";
import { renderSteps } from "./page/steps.ts";
import { buildList, buildTable } from "./page/table.ts";

const readGiven = (visit: Visit, names: readonly string[]): Given =>
  Object.fromEntries(names.map((name) => [name, readText(visit, name) ?? undefined]));

const showList =
  (noun: Noun): ShowPage =>
  async (visit) => {
    const { name, title, list } = noun;
    const filters = Object.entries(list.filters);
    const given = readGiven(visit, Object.keys(list.filters));
    const names = new Map<string, string>();
    const shape = { name, none: list.none, columns: buildColumns(list.columns, names) };
    const read = async (position: { after: string | null; limit: number }) => {
      const found = await orNone(list.read(visit.ctx, given, position));
      if (visit.query.get("format") !== "csv")
        for (const [id, person] of await readNames(visit, found)) names.set(id, person);
      return found;
    };
    const rows = list.isWhole ? await read({ after: null, limit: Number.MAX_SAFE_INTEGER }) : [];
    const [table, note, beside] = await Promise.all([
      list.isWhole
        ? buildTable(visit, { ...shape, rows })
        : buildList(visit, { ...shape, keyOf: ({ key }) => key, read }),
      list.note?.(visit.ctx) ?? null,
      listBeside[name]?.(visit) ?? null,
    ]);
    const tabs = filters.flatMap(([word, { isTab, values = [], fallback = null }]) =>
      isTab ? [renderTabs(visit, word, values, given[word] ?? fallback, fallback === null)] : [],
    );
    const fields = filters.flatMap(([word, { isTab, label, values }]) =>
      isTab ? [] : [{ name: word, label, ...(values && { values }) }],
    );
    return {
      title,
      body: markup`${beside?.before}
        <p class="lead">${list.lead}</p>
        ${tabs}
        ${note !== null && markup`<p>${note}.</p>`} ${fields.length > 0 && renderFilters(visit, fields)}
        ${beside?.pictures} ${table}
        ${noun.show === null && rows.map((row) => renderOffers(visit, noun, row))} ${!beside?.hasOwnForms && renderCreations(visit, noun)}
        ${beside?.after}`,
      tables: [table, ...(beside?.tables ?? [])],
    };
  };

const showRow =
  (noun: Noun, show: NounShow): ShowPage =>
  async (visit) => {
    const row = await show.read(visit.ctx, visit.params["id"] ?? "");
    const { steps, state, related = [] }: PageParts = row.page ?? {};
    const names = await readNames(visit, [row]);
    const parts = buildParts(visit, row, names);
    const [beside, ...others] = await Promise.all([
      rowBeside[noun.name]?.(visit, row) ?? null,
      ...related.map((asked) => readRelated(visit, asked)),
    ]);
    const shown = others.filter((other) => other !== null);
    return {
      title: show.title,
      path: `${pathOf(noun.name)}/${encodeURIComponent(row.key)}`,
      body: markup`${steps && renderSteps(steps)} ${renderNamed(row, names)} ${beside?.before} ${renderActs(visit, noun, row)}
        ${state && (await renderMachineState({ ...state, title: show.title }))}
        ${
          noun.name !== "actions" &&
          markup`<p class="pager"><a href="${linkTo("/operator/actions", { subject: row.key })}">What operators did to this ${show.title.toLowerCase()}</a></p>`
        }
        ${[...parts, ...shown].map(({ html }) => html)} ${beside?.after}`,
      tables: [...parts, ...shown].map(({ table }) => table).concat(beside?.tables ?? []),
      isStill: beside?.isStill ?? false,
    };
  };

/** Rows shown of another noun; its list has the others. */
const relatedMax = 20;

/** The newest rows of another noun that belong to this one; null for an operator who may not list them. */
async function readRelated(visit: Visit, { noun: name, filter, word }: RelatedRows) {
  const noun = deskNouns.find((other) => other.name === name);
  if (noun === undefined || !may(visit, noun.list.verb)) return null;
  const rows = await orNone(noun.list.read(visit.ctx, { [filter]: word }, { after: null, limit: relatedMax + 1 }));
  const table = buildNounTable(visit, noun, rows, { names: await readNames(visit, rows), rowsMax: relatedMax });
  const html: Html = markup`<h2>${noun.title}</h2>
    ${table} ${noun.show === null && rows.slice(0, relatedMax).map((row) => renderOffers(visit, noun, row))}
    <p class="pager"><a href="${linkTo(pathOf(name), { [filter]: word })}">All of them</a></p>`;
  return { table, html };
}

/** The pages of the described nouns, by their addresses. */
export const deskPages: Readonly<Record<string, PageRoute>> = Object.fromEntries(
  deskNouns.flatMap((noun) => [
    [pathOf(noun.name), { verb: noun.list.verb, show: showList(noun) }],
    ...(noun.show === null
      ? []
      : [[`${pathOf(noun.name)}/:id`, { verb: noun.show.verb, show: showRow(noun, noun.show) }] as const]),
  ]),
);

/** Their forms. */
export const deskForms: Readonly<Record<string, FormRoute>> = Object.fromEntries(
  deskNouns.flatMap((noun) =>
    Object.entries(noun.acts).map(([name, act]) => [
      addressOf(noun.name, name, act, ":id").replace("%3A", ":"),
      {
        verb: act.verb,
        act: submitAct(noun, name, act),
        bytesMax: findBytesMax(act),
        ...(act.file === undefined && { once: { verb: act.verb, endsAfterCommit: act.endsAfterCommit ?? false } }),
      },
    ]),
  ),
);
