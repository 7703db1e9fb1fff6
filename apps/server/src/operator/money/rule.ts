/** One card rule: its versions, what they declined, and a back-test. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { ruleDefinition, type RuleState } from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import type { CardRuleVersion } from "@cardkeep/db/queries/cards/cardRules/rules";
import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import type { Backtest } from "@cardkeep/domain/cards/ruleChanges/backtestRule";
import {
  backtestDays,
  backtestVersion,
  deleteRule,
  draftVersion,
  setRuleState,
} from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { getRule, type RuleDetails } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { cleanText } from "@cardkeep/domain/core/wording";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderCents } from "./amounts.ts";
import { renderConfirm } from "../page/confirm.ts";
import { renderForeign } from "../page/foreignText.ts";
import { type Action, linkTo, may, readText, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderCount, renderFields, renderIdLink, renderStatus } from "../page/parts.ts";
import { readDefinition, renderDefinition } from "./rules.ts";
import { buildTable } from "../page/table.ts";

const page = "/operator/rules";
/** A page is answered within ten seconds. */
const backtestMsMax = 6_000;

const buildVersions = (visit: Visit, { versions, counts }: RuleDetails): Table =>
  buildTable(visit, {
    name: "versions",
    none: "It has no version.",
    rows: versions.toReversed(),
    columns: [
      { name: "Version", text: ({ version }) => version },
      { name: "State", text: ({ state }) => state, cell: ({ state }) => renderStatus(state) },
      { name: "What it does", text: ({ definition }) => cleanText(describeRule(definition)) },
      { name: "Declined", text: ({ version }) => counts.find((count) => count.version === version)?.active ?? 0 },
      { name: "Would have", text: ({ version }) => counts.find((count) => count.version === version)?.shadow ?? 0 },
      { name: "In this state since", text: ({ stateAt }) => stateAt },
    ],
  });

const buildHits = (visit: Visit, { hits }: RuleDetails): Table =>
  buildTable(visit, {
    name: "hits",
    none: "No payment was declined by it, or would have been.",
    rows: hits,
    columns: [
      {
        name: "Payment",
        text: ({ paymentId }) => paymentId,
        cell: ({ paymentId }) => renderIdLink("/operator/payments", paymentId),
      },
      { name: "Version", text: ({ version }) => version },
      { name: "State", text: ({ state }) => state, cell: ({ state }) => renderStatus(state) },
      {
        name: "Amount",
        text: ({ amountCents, currency }) => formatCents(amountCents, currency),
        cell: ({ amountCents, currency }) => renderCents(amountCents, currency),
      },
      { name: "At", text: ({ createdAt }) => createdAt },
    ],
  });

const buildSamples = (visit: Visit, { samples }: Backtest): Table =>
  buildTable(visit, {
    name: "backtest",
    none: "It would have declined none of them.",
    rows: samples,
    columns: [
      {
        name: "Payment",
        text: ({ paymentId }) => paymentId,
        cell: ({ paymentId }) => renderIdLink("/operator/payments", paymentId),
      },
      {
        name: "Amount",
        text: ({ amountCents, currency }) => formatCents(amountCents, currency),
        cell: ({ amountCents, currency }) => renderCents(amountCents, currency),
      },
      { name: "Category", text: ({ mcc }) => mcc },
      { name: "At", text: ({ createdAt }) => createdAt },
    ],
  });

/** The result of a back-test in a sentence. */
const renderResult = (version: number, { since, payments, declined, declinedAmounts, isComplete }: Backtest): Html => {
  const amounts = declinedAmounts.map(({ currency, cents }) => formatCents(cents, currency)).join(" and ");
  return markup`<p>
    Version ${version} would have declined ${renderCount(declined)} of ${renderCount(payments)} approved payments since
    ${renderTime(since)}${amounts !== "" && `, ${amounts} together`}.
    ${!isComplete && "There was no time for all payments: `cardkeep rules backtest` plays them all."}
  </p>`;
};

const renderBacktestForm = ({ path }: Visit, { versions }: RuleDetails): Html =>
  markup`<form class="filters" method="get" action="${path}">
    <label>Version <select name="version">${versions.toReversed().map(({ version }) => markup`<option>${version}</option>`)}</select></label>
    <label>Days <input name="days" inputmode="numeric" value="${backtestDays.default}" autocomplete="off" /></label>
    <button>Try on past payments</button>
  </form>`;

const acts = {
  ACTIVE: {
    word: "activate",
    label: "Activate a version",
    consequence: "It declines from the next decision on. The version before it becomes inactive.",
  },
  SHADOW: {
    word: "shadow",
    label: "Run a version in SHADOW",
    consequence: "What it would decline is recorded, and nothing is declined by it.",
  },
  INACTIVE: { word: "deactivate", label: "End a version", consequence: "It declines and records nothing any more." },
} as const satisfies Record<RuleState, object>;

const renderVersionChoice = (versions: readonly CardRuleVersion[]): Html =>
  markup`<label>Version <select name="version">${versions.toReversed().map(({ version }) => markup`<option>${version}</option>`)}</select></label>`;

function renderActs(visit: Visit, { rule, versions }: RuleDetails): Html | false {
  if (!may(visit, "rules.activate")) return false;
  const states = keysOf(acts).filter((state) => state === "INACTIVE" || rule.owner === "operator");
  const newest = versions.at(-1);
  return markup`<div class="actions">
    ${states.map((state) =>
      renderConfirm({
        action: `${page}/${rule.id}/${acts[state].word}`,
        label: acts[state].label,
        consequence: acts[state].consequence,
        fields: renderVersionChoice(versions),
        isDanger: state === "ACTIVE",
      }),
    )}
    ${renderConfirm({
      action: `${page}/${rule.id}/delete`,
      label: "Delete the rule",
      consequence: "It ends with its versions. What it declined stays with the payments.",
      isDanger: true,
    })}
    ${
      rule.owner === "operator" &&
      renderConfirm({
        action: `${page}/${rule.id}/draft`,
        label: "Add a version",
        consequence: "It is inactive until you activate it.",
        fields: renderDefinition(newest ? JSON.stringify(newest.definition, null, 2) : undefined),
      })
    }
  </div>`;
}

export const showRule: ShowPage = async (visit) => {
  const details = await getRule(visit.ctx, { id: visit.params["id"] ?? "" });
  const { rule } = details;
  const [versions, hits] = [buildVersions(visit, details), buildHits(visit, details)];
  const tried = await tryVersion(visit, details);
  return {
    title: "Card rule",
    body: markup`${renderFields([
      ["Id", renderCode(rule.id)],
      ["Name", renderForeign(rule.name)],
      ["Whose cards", rule.scope],
      ["User", rule.userId && renderIdLink("/operator/users", rule.userId)],
      ["Card", rule.scope === "card" ? rule.subjectId && renderIdLink("/operator/cards", rule.subjectId) : null],
      [
        "Partner",
        rule.scope === "partner" ? rule.subjectId && renderIdLink("/operator/partners", rule.subjectId) : null,
      ],
      ["Owner", [rule.owner, rule.ownerId].filter(Boolean).join(" ")],
      ["Made", renderTime(rule.createdAt)],
    ])}
      <h2>Versions</h2>
      ${versions} ${renderActs(visit, details)}
      <h2>Back-test</h2>
      ${renderBacktestForm(visit, details)} ${tried && markup`${renderResult(tried.version, tried.result)} ${tried.table}`}
      <h2>Declined by it</h2>
      ${hits}
      <p class="pager"><a href="${linkTo("/operator/actions", { subject: rule.id })}">What operators did to this rule</a></p>`,
    tables: [versions, hits, ...(tried ? [tried.table] : [])],
  };
};

/** The back-test that the query asks for; null without one. @throws rules.not_found, request.invalid */
async function tryVersion(visit: Visit, { rule }: RuleDetails) {
  const [version, days] = [readText(visit, "version"), readText(visit, "days")];
  if (version === null) return null;
  const given = { version: Number(version), days: Number(days ?? backtestDays.default) };
  const isValid = Number.isInteger(given.days) && given.days >= 1 && given.days <= backtestDays.max;
  if (!isValid) fail("request.invalid", { text: `Days are a whole number from 1 to ${backtestDays.max}` });
  const result = await backtestVersion(visit.ctx, { id: rule.id, ...given, budgetMs: backtestMsMax });
  return { version: given.version, result, table: buildSamples(visit, result) };
}

const submitState =
  (state: RuleState): Action =>
  async ({ ctx, params, form }) => {
    const id = params["id"] ?? "";
    await setRuleState(ctx, { id, version: Number(form.get("version")), state });
    return linkTo(`${page}/${encodeURIComponent(id)}`, { done: "done" });
  };

/** @throws rules.not_found, rules.foreign */
export const activateRule = submitState("ACTIVE");
/** @throws rules.not_found, rules.foreign */
export const shadowRule = submitState("SHADOW");
/** @throws rules.not_found */
export const deactivateRule = submitState("INACTIVE");

/** @throws rules.not_found */
export const submitDeletion: Action = async ({ ctx, params }) => {
  await deleteRule(ctx, { id: params["id"] ?? "" });
  return linkTo(page, { done: "done" });
};

/** @throws request.invalid, rules.not_found, rules.foreign */
export const submitDraft: Action = async ({ ctx, params, form }) => {
  const id = params["id"] ?? "";
  const given = ruleDefinition.safeParse(readDefinition(form));
  if (!given.success) return fail("request.invalid", { text: given.error.issues[0]?.message ?? "Invalid rule" });
  await draftVersion(ctx, { id, definition: given.data });
  return linkTo(`${page}/${encodeURIComponent(id)}`, { done: "done" });
};
