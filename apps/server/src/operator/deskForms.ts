/** Forms of the acts that `packages/desk` describes: what a row offers, what makes a row, and what becomes of a form. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Given, Input, Noun, NounAct, Offer, Row } from "@cardkeep/desk/noun";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { markup, type Html } from "@cardkeep/html/markup";
import { pathOf, renderNamed } from "./deskTable.ts";
import { answerFile } from "./page/answerFile.ts";
import { renderConfirm } from "./page/confirm.ts";
import { type Action, linkTo, may, type Page, type Visit } from "./page/page.ts";

export const addressOf = (noun: string, name: string, act: NounAct, key: string): string =>
  [pathOf(noun), ...(act.isOfRow ? [encodeURIComponent(key)] : []), ...(act.isBare ? [] : [name])].join("/");

/** What a form of an act shows in addition to its inputs. */
const describeReason = ({ verb, needsReason }: NounAct) => ({
  reason: needsReason || findVerbRow(verb).needsReason ? ("required" as const) : ("optional" as const),
});

/** The consequence, and whether a second person has to approve it. */
const describeConsequence = ({ ctx }: Visit, { verb }: NounAct, consequence: string): string =>
  ctx.policy.operators.twoPersons.some((named) => named === verb)
    ? `${consequence} A second person has to approve it.`
    : consequence;

const renderAll = (forms: readonly Html[]): Html | null =>
  forms.length === 0 ? null : markup`<div class="actions">${forms}</div>`;

/** The forms of the acts that a row offers and the operator may do; null without any. */
export const renderOffers = (visit: Visit, noun: Noun, { key, offers }: Pick<Row, "key" | "offers">): Html | null =>
  renderAll(
    Object.entries(noun.acts).flatMap(([name, act]) => {
      const offer = offers[name];
      if (offer === undefined || !may(visit, act.verb)) return [];
      const { label, consequence, isDanger = false, given = {} } = offer;
      const asked = Object.entries(act.inputs).filter(([input]) => !(input in given));
      const form = renderConfirm({
        ...describeReason(act),
        action: addressOf(noun.name, name, act, key),
        label,
        consequence: describeConsequence(visit, act, consequence),
        hidden: given,
        fields: asked.map(([input, shape]) => [
          renderInput(`${key}-${name}-${input}`, input, shape, offer),
          renderBegun(input, shape, offer),
        ]),
        isDanger,
        mayRepeat: act.file !== undefined,
      });
      return [form];
    }),
  );

/** The same on the page of the row, under their heading. */
export function renderActs(visit: Visit, noun: Noun, row: Pick<Row, "key" | "offers">): Html | null {
  const forms = renderOffers(visit, noun, row);
  return forms && markup`<h2>What may be done</h2> ${forms}`;
}

/** The forms of the acts that make a row; null without any. */
export const renderCreations = (visit: Visit, { name: noun, acts, argument }: Noun): Html | null =>
  renderAll(
    Object.entries(acts).flatMap(([name, act]) => {
      if (act.isOfRow || !may(visit, act.verb)) return [];
      const key = {
        label: argument.label ?? argument.name,
        brief: argument.brief,
        placeholder: argument.brief,
        isRequired: true,
      } as const;
      const inputs = Object.entries({ ...(!act.isKeyless && { [argument.name]: key }), ...act.inputs });
      const form = renderConfirm({
        ...describeReason(act),
        action: addressOf(noun, name, act, ""),
        label: act.label ?? act.brief.replace(/^(\w+)s /, "$1 "),
        consequence: describeConsequence(visit, act, act.consequence ?? act.details ?? `${act.brief}.`),
        fields: inputs.map(([input, shape]) => renderInput(`${noun}-${name}-${input}`, input, shape)),
      });
      return [form];
    }),
  );

const begunOf = (name: string): string => `begun.${name}`;

/** What the control of an input that may be left out began with, so that only what the operator changed is given. */
const renderBegun = (name: string, { isRequired, isArgument }: Input, { present }: Offer): Html | null =>
  isRequired || isArgument || !present?.[name]
    ? null
    : markup`<input type="hidden" name="${begunOf(name)}" value="${present[name]}" />`;

/** The control of an input, as its row has it. */
function renderInput(
  id: string,
  name: string,
  input: Input,
  { present = {}, choices = {} }: Partial<Offer> = {},
): Html {
  const value = present[name] ?? input.example ?? "";
  const words = choices[name] ?? input.values;
  const needed = (input.isRequired || input.isArgument) && markup` required`;
  const nameWord = (word: string) => input.meanings?.[word] ?? word;
  if (input.isSwitch)
    return markup`<label class="check"><input name="${name}" type="checkbox" value="${words?.[0]}" /> ${input.label}</label>`;
  if (input.isList && words !== undefined)
    return markup`<fieldset><legend>${input.label}</legend>
      ${words.map((word) => markup`<label class="check"><input name="${name}" type="checkbox" value="${word}" /> ${nameWord(word)}</label>`)}</fieldset>`;
  const label = markup`<label for="${id}">${input.label}${input.calendar === "instant" && ", in UTC"}${!needed && words === undefined && " (optional)"}</label>`;
  if (words !== undefined)
    return markup`${label}<select id="${id}" name="${name}"${needed}>
      ${!needed && value === "" && markup`<option value="">–</option>`}
      ${words.map((word) => markup`<option value="${word}"${word === value && markup` selected`}>${nameWord(word)}</option>`)}
    </select>`;
  if (input.isFile || input.isLong || input.isJson)
    return markup`${label}<textarea id="${id}" name="${name}" rows="${input.isLong ? 3 : 6}"${needed}${!input.isLong && markup` spellcheck="false"`}>${value}</textarea>`;
  const type = { day: "date", instant: "datetime-local", none: "text" }[input.calendar ?? "none"];
  return markup`${label}<input id="${id}" name="${name}" type="${type}" value="${value}" title="${input.brief}"${needed}${input.isNumber && markup` inputmode="decimal"`} autocomplete="off" />`;
}

/** What a form changes of an input, as programs write it: a calendar's instant has no zone, and is in UTC. */
function readInput(form: URLSearchParams, name: string, { calendar }: Input): string | undefined {
  const word = form.getAll(name).join(",").trim();
  if (word === "" || word === form.get(begunOf(name))?.trim()) return undefined;
  return calendar === "instant" && /T\d\d:\d\d(:\d\d)?$/.test(word)
    ? `${word}${word.length === 16 ? ":00" : ""}Z`
    : word;
}

const readInputs = ({ inputs }: NounAct, form: URLSearchParams): Given =>
  Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, readInput(form, name, input)]));

/** A secret is on this answer alone: no address leads to it. */
const showOnce = (list: string, row: Row): Page => ({
  title: "Shown once",
  body: markup`<p class="notice">Keep it now: it is shown once.</p>
    ${renderNamed(row)}
    <p class="pager"><a href="${list}">Back to the list</a></p>`,
});

/** How many rows an act changed, as its answer says; one without such an answer. */
const countOf = ({ fields }: Row): number => {
  const found = fields.flatMap(([, values]) => values).find(({ kind }) => kind === "count");
  return found?.kind === "count" ? Number(found.count) : 1;
};

/** What the next page says of an act that is done. */
const nameDone = (noun: Noun, name: string, row: Row) =>
  noun.acts[name]?.done === undefined
    ? { done: "done" }
    : { done: `${noun.name}.${name}`, count: row.cells.length > 0 ? 1 : countOf(row) };

/** An act that answers no row of the noun leads to the list. */
const addressAfter = (noun: Noun, act: NounAct, { key, cells, made }: Row): string => {
  if (made !== undefined) return `${pathOf(made.noun)}/${encodeURIComponent(made.key)}`;
  const hasPage = noun.show !== null && !act.leadsToList && (act.isOfRow || cells.length > 0);
  return hasPage ? `${pathOf(noun.name)}/${encodeURIComponent(key)}` : pathOf(noun.name);
};

/** Does an act: answers the next address, its file, or its secret. @throws operators.reason_required, and what the act throws */
export const submitAct =
  (noun: Noun, name: string, act: NounAct): Action =>
  async ({ ctx, params, form }) => {
    if (act.needsReason && ctx.reason === null) fail("operators.reason_required");
    const key = (act.isOfRow ? params["id"] : form.get(noun.argument.name)?.trim()) ?? "";
    const given = readInputs(act, form);
    if (act.file !== undefined) {
      const file = await act.file(ctx, key, given);
      return answerFile(file, file.pieces, (error) => ctx.log.error({ err: toCardkeepError(error) }, "a file ended"));
    }
    const row = await act.run(ctx, key, given);
    if (act.showsSecret || row.isShownOnce) return showOnce(pathOf(noun.name), row);
    return linkTo(addressAfter(noun, act, row), nameDone(noun, name, row));
  };
