/** Pages of the nouns that `packages/desk` describes: the list, one row with its acts, and the forms. */
import {
  findBytesMax,
  type Given,
  type Input,
  type Noun,
  type NounAct,
  type NounShow,
  type PageParts,
  type PartTable,
  type RelatedRows,
  type Row,
} from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { buildColumn, buildNounTable, pathOf, renderValue } from "./deskTable.ts";
import { renderConfirm } from "./page/confirm.ts";
import { orNone, renderFilters } from "./page/filters.ts";
import {
  type Action,
  type FormRoute,
  linkTo,
  may,
  type Page,
  type PageRoute,
  readText,
  type ShowPage,
  type Visit,
} from "./page/page.ts";
import { renderFields, renderTabs } from "./page/parts.ts";
import { listBeside } from "./listBeside.ts";
import { renderSteps } from "./page/steps.ts";
import { buildList, buildTable } from "./page/table.ts";

const addressOf = (noun: string, name: string, act: NounAct, key: string): string =>
  [pathOf(noun), ...(act.isOfRow ? [encodeURIComponent(key)] : []), ...(act.isBare ? [] : [name])].join("/");

/** The forms of the acts that a row offers and the operator may do. */
const renderOffers = (visit: Visit, noun: Noun, { key, offers }: Row): Html[] =>
  Object.entries(noun.acts).flatMap(([name, act]) => {
    const offer = offers[name];
    if (offer === undefined || !may(visit, act.verb)) return [];
    const { label, consequence, isDanger = false, given = {} } = offer;
    const asked = Object.entries(act.inputs).filter(([input]) => !(input in given));
    const form = renderConfirm({
      action: addressOf(noun.name, name, act, key),
      label,
      consequence,
      hidden: given,
      fields: asked.map(([input, shape]) => renderInput(`${key}-${name}-${input}`, input, shape)),
      reason: findVerbRow(act.verb).needsReason ? "required" : "optional",
      isDanger,
    });
    return [markup`<div class="actions">${form}</div>`];
  });

function renderInput(id: string, name: string, { label, placeholder, values, isFile, isLong }: Input): Html {
  if (isFile || isLong)
    return markup`<label for="${id}">${label}</label
      ><textarea id="${id}" name="${name}" rows="${isFile ? 6 : 3}"${isFile && markup` required spellcheck="false"`}></textarea>`;
  const control =
    values === undefined
      ? markup`<input id="${id}" name="${name}" placeholder="${placeholder}" autocomplete="off" />`
      : markup`<select id="${id}" name="${name}">${values.map((value) => markup`<option>${value}</option>`)}</select>`;
  return markup`<label for="${id}">${label}</label>${control}`;
}

/** The forms of the acts that make a row. */
const renderCreations = (visit: Visit, { name: noun, acts, argument }: Noun): Html[] =>
  Object.entries(acts).flatMap(([name, act]) => {
    if (act.isOfRow || !may(visit, act.verb)) return [];
    const key = { label: argument.name, brief: argument.brief, placeholder: argument.brief };
    const inputs = Object.entries({ ...(!act.isKeyless && { [argument.name]: key }), ...act.inputs });
    const form = renderConfirm({
      action: addressOf(noun, name, act, ""),
      label: act.brief.replace(/^(\w+)s /, "$1 "),
      consequence: act.details ?? `${act.brief}.`,
      fields: inputs.map(([input, shape]) => renderInput(`${noun}-${name}-${input}`, input, shape)),
      reason: findVerbRow(act.verb).needsReason ? "required" : "optional",
    });
    return [markup`<div class="actions">${form}</div>`];
  });

const readGiven = (visit: Visit, names: readonly string[]): Given =>
  Object.fromEntries(names.map((name) => [name, readText(visit, name) ?? undefined]));

const showList =
  (noun: Noun): ShowPage =>
  async (visit) => {
    const { name, title, list } = noun;
    const filters = Object.entries(list.filters);
    const given = readGiven(visit, Object.keys(list.filters));
    const shape = { name, none: list.none, columns: list.columns.map(buildColumn) };
    const read = (position: { after: string | null; limit: number }) => orNone(list.read(visit.ctx, given, position));
    const rows = list.isWhole ? await read({ after: null, limit: Number.MAX_SAFE_INTEGER }) : [];
    const [table, note, beside] = await Promise.all([
      list.isWhole
        ? buildTable(visit, { ...shape, rows })
        : buildList(visit, { ...shape, keyOf: ({ key }) => key, read }),
      list.note?.(visit.ctx) ?? null,
      listBeside[name]?.(visit) ?? null,
    ]);
    const tabs = filters.flatMap(([word, { isTab, values = [] }]) =>
      isTab ? [renderTabs(visit, word, values, given[word] ?? null)] : [],
    );
    const fields = filters.flatMap(([word, { isTab, label, values }]) =>
      isTab ? [] : [{ name: word, label, ...(values && { values }) }],
    );
    return {
      title,
      body: markup`${beside?.before}${tabs}
        <p class="lead">${list.lead}</p>
        ${note !== null && markup`<p>${note}.</p>`} ${fields.length > 0 && renderFilters(visit, fields)} ${table}
        ${noun.show === null && rows.flatMap((row) => renderOffers(visit, noun, row))} ${!beside?.hasOwnForms && renderCreations(visit, noun)}
        ${beside?.after}`,
      tables: [table, ...(beside?.tables ?? [])],
    };
  };

const showRow =
  (noun: Noun, show: NounShow): ShowPage =>
  async (visit) => {
    const row = await show.read(visit.ctx, visit.params["id"] ?? "");
    const { steps, state, tables = [], related = [] }: PageParts = row.page ?? {};
    const parts = tables.map((part) => buildPart(visit, part));
    const others = await Promise.all(related.map((asked) => readRelated(visit, asked)));
    const shown = others.filter((other) => other !== null);
    return {
      title: show.title,
      body: markup`${steps && renderSteps(steps)} ${renderNamed(row)} ${renderOffers(visit, noun, row)}
        ${state && (await renderMachineState({ ...state, title: show.title }))}
        ${
          noun.name !== "actions" &&
          markup`<p class="pager"><a href="${linkTo("/operator/actions", { subject: row.key })}">What operators did to this ${show.title.toLowerCase()}</a></p>`
        }
        ${[...parts, ...shown].map(({ html }) => html)}`,
      tables: [...parts, ...shown].map(({ table }) => table),
    };
  };

function buildPart(visit: Visit, { name, title, lead, none, columns, rows }: PartTable) {
  const named = columns.map((column, index) => buildColumn({ name: column }, index));
  const table = buildTable(visit, { name, none, columns: named, rows: rows.map((cells) => ({ cells })) });
  return { table, html: markup`<h2>${title}</h2> ${lead && markup`<p>${lead}</p>`} ${table}` };
}

/** Rows shown of another noun; its list has the others. */
const relatedMax = 20;

/** The newest rows of another noun that belong to this one; null for an operator who may not list them. */
async function readRelated(visit: Visit, { noun: name, filter, word }: RelatedRows) {
  const noun = deskNouns.find((other) => other.name === name);
  if (noun === undefined || !may(visit, noun.list.verb)) return null;
  const rows = await orNone(noun.list.read(visit.ctx, { [filter]: word }, { after: null, limit: relatedMax }));
  const table = buildNounTable(visit, noun, rows);
  const html = markup`<h2>${noun.title}</h2>
    ${table} ${noun.show === null && rows.flatMap((row) => renderOffers(visit, noun, row))}
    <p class="pager"><a href="${linkTo(pathOf(name), { [filter]: word })}">All of them</a></p>`;
  return { table, html };
}

const renderNamed = ({ fields }: Row): Html =>
  renderFields(fields.map(([name, values]) => [name, joinParts(values.map(renderValue))] as const));

/** Parts without those of no value. */
function joinParts(given: readonly Part[]): Part {
  const parts = given.filter((part) => part !== null && part !== undefined && part !== "");
  return parts.length <= 1 ? (parts[0] ?? null) : parts.map((part) => markup`${part} `);
}

/** A secret is on this answer alone: no address leads to it. */
const showOnce = (list: string, row: Row): Page => ({
  title: "Shown once",
  body: markup`<p class="notice">Keep it now: it is shown once.</p>
    ${renderNamed(row)}
    <p class="pager"><a href="${list}">Back to the list</a></p>`,
});

const submitAct =
  (noun: Noun, act: NounAct): Action =>
  async ({ ctx, params, form }) => {
    const given = Object.fromEntries(Object.keys(act.inputs).map((name) => [name, form.get(name) ?? undefined]));
    const key = (act.isOfRow ? params["id"] : form.get(noun.argument.name)?.trim()) ?? "";
    const row = await act.run(ctx, key, given);
    const list = pathOf(noun.name);
    if (act.showsSecret) return showOnce(list, row);
    // An act that answers no row of the noun leads to the list.
    const hasPage = noun.show !== null && (act.isOfRow || row.cells.length > 0);
    return linkTo(hasPage ? `${list}/${encodeURIComponent(row.key)}` : list, { done: "done" });
  };

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
      { verb: act.verb, act: submitAct(noun, act), bytesMax: findBytesMax(act) },
    ]),
  ),
);
