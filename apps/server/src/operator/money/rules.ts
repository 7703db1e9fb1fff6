/** Card rules: the list, with the form of a new rule. */
import { ruleScopes } from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import { parseJsonText } from "@cardkeep/contract/core/text";
import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import { createRule, newRule } from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { listRules, type RuleView } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { cleanText } from "@cardkeep/domain/core/wording";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { renderFilters } from "../page/filters.ts";
import { readForeign, renderForeign } from "../page/foreignText.ts";
import { type Action, linkTo, may, readChoice, readText, type ShowPage, type Visit } from "../page/page.ts";
import { renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const page = "/operator/rules";

/** The states of a rule's versions that do something, or that none does. */
const stateOf = ({ versions }: RuleView): string =>
  versions
    .filter(({ state }) => state !== "INACTIVE")
    .map(({ state }) => state)
    .toSorted()
    .join(", ") || "INACTIVE";

/** The version that decides, otherwise the newest one. */
const textOf = ({ versions }: RuleView): string => {
  const shown = versions.find(({ state }) => state === "ACTIVE") ?? versions.at(-1);
  return shown ? cleanText(describeRule(shown.definition)) : "";
};

const columns = [
  { name: "Rule", text: ({ rule }) => rule.id, cell: ({ rule }) => renderIdLink(page, rule.id) },
  { name: "Name", text: ({ rule }) => readForeign(rule.name), cell: ({ rule }) => renderForeign(rule.name) },
  { name: "State", text: stateOf, cell: (view) => renderStatus(stateOf(view)) },
  { name: "Of", text: ({ rule }) => rule.scope },
  { name: "What it does", text: textOf },
  { name: "Owner", text: ({ rule }) => [rule.owner, rule.ownerId].filter(Boolean).join(" ") },
  { name: "Made", text: ({ rule }) => rule.createdAt },
] satisfies readonly Column<RuleView>[];

const example = '{ "conditions": [{ "type": "mcc", "operator": "in", "values": ["7995"] }] }';

/** The field for a definition; a page has several forms, so each names its own. */
export const renderDefinition = (value: string = example): Html =>
  markup`<label>Definition as JSON <textarea name="definition" rows="6" required spellcheck="false">${value}</textarea></label>`;

const renderCreate = (visit: Visit): Html | false =>
  may(visit, "rules.create") &&
  markup`<div class="actions">${renderConfirm({
    action: page,
    label: "Make a rule",
    consequence: "Its first version is inactive. Try it on past payments, let it run in SHADOW, then activate it.",
    fields: markup`<label>Name <input name="name" required maxlength="100" autocomplete="off" /></label>
      <label>Whose cards <select name="scope">${ruleScopes.map((scope) => markup`<option>${scope}</option>`)}</select></label>
      <label>Partner, user or card <input name="subject" autocomplete="off" spellcheck="false" /></label>
      ${renderDefinition()}`,
  })}</div>`;

export const showRules: ShowPage = async (visit) => {
  const scope = readChoice(visit, "scope", ruleScopes);
  const subject = readText(visit, "subject");
  const rules = await buildList(visit, {
    name: "rules",
    none: "There are no such rules.",
    columns,
    keyOf: ({ rule }) => rule.id,
    read: (position) => listRules(visit.ctx, { scope, subject, ...position }),
  });
  return {
    title: "Card rules",
    body: markup`${renderTabs(visit, "scope", ruleScopes, scope)}
      <p class="lead">A rule declines payments that meet all its conditions.</p>
      ${renderFilters(visit, [{ name: "subject", label: "Id of a partner, user or card" }])} ${rules} ${renderCreate(visit)}`,
    tables: [rules],
  };
};

/** A definition of a form. @throws request.invalid */
export function readDefinition(form: URLSearchParams): unknown {
  try {
    return parseJsonText(form.get("definition") ?? "");
  } catch {
    return fail("request.invalid", { text: "The definition is no JSON" });
  }
}

/** @throws request.invalid, rules.subject_not_found, users.not_found, cards.not_found */
export const submitRule: Action = async ({ ctx, form }) => {
  const subject = (form.get("subject") ?? "").trim();
  const given = newRule.safeParse({
    scope: form.get("scope"),
    ...(subject !== "" && { subject }),
    name: form.get("name") ?? "",
    definition: readDefinition(form),
  });
  if (!given.success) return fail("request.invalid", { text: given.error.issues[0]?.message ?? "Invalid rule" });
  const { rule } = await createRule(ctx, given.data);
  return linkTo(`${page}/${rule.id}`, { done: "done" });
};
