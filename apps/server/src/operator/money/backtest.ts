/** A back-test of a rule's version, beside the rule. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Row } from "@cardkeep/desk/noun";
import type { Backtest } from "@cardkeep/domain/cards/ruleChanges/backtestRule";
import { backtestDays, backtestVersion } from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderCents } from "./amounts.ts";
import { type Beside, readText, type Table, type Visit } from "../page/page.ts";
import { renderCount, renderIdLink } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

/** A page is answered within ten seconds. */
const backtestMsMax = 6_000;

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
        isRight: true,
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

const renderForm = ({ path }: Visit, versions: readonly string[]): Html =>
  markup`<form class="filters" method="get" action="${path}">
    <label>Version <select name="version">${versions.map((version) => markup`<option>${version}</option>`)}</select></label>
    <label>Days <input name="days" inputmode="numeric" value="${backtestDays.default}" autocomplete="off" /></label>
    <button>Try on past payments</button>
  </form>`;

/** The back-test that the query asks for; null without one. @throws rules.not_found, request.invalid */
async function tryVersion(visit: Visit, ruleId: string) {
  const [version, days] = [readText(visit, "version"), readText(visit, "days")];
  if (version === null) return null;
  const given = { version: Number(version), days: Number(days ?? backtestDays.default) };
  const isValid = Number.isInteger(given.days) && given.days >= 1 && given.days <= backtestDays.max;
  if (!isValid) fail("request.invalid", { text: `Days are a whole number from 1 to ${backtestDays.max}` });
  const result = await backtestVersion(visit.ctx, { id: ruleId, ...given, budgetMs: backtestMsMax });
  return { version: given.version, result, table: buildSamples(visit, result) };
}

export async function renderBacktest(visit: Visit, { key, offers }: Row): Promise<Beside> {
  const tried = await tryVersion(visit, key);
  // Each version may be ended, so this offer names all of them.
  const after = markup`<h2>Back-test</h2>
    ${renderForm(visit, offers["deactivate"]?.choices?.["version"] ?? [])} ${tried && markup`${renderResult(tried.version, tried.result)} ${tried.table}`}`;
  return { after, tables: tried ? [tried.table] : [], isStill: tried !== null };
}
