/** The pictures above the list of figures: the newest days, weeks or months. */
import { currencies } from "@cardkeep/contract/core/currencies";
import { figurePeriods } from "@cardkeep/db/queries/operations/figures";
import { sumDeclines } from "@cardkeep/desk/nouns/figures";
import { type Figures, listFigures } from "@cardkeep/domain/operations/figures/listFigures";
import { markup } from "@cardkeep/html/markup";
import type { Series } from "@cardkeep/html/pictures/bars";
import { renderTime } from "@cardkeep/html/time";
import { formatApproximate } from "./money/amounts.ts";
import { buildBars, buildLine } from "./page/charts.ts";
import { type Beside, linkTo, readChoice, type Table, type Visit } from "./page/page.ts";
import { renderCount } from "./page/parts.ts";
import { buildTable } from "./page/table.ts";

/** How many periods the pictures show. */
const shownCounts = { day: 30, week: 26, month: 24 } as const;
/** Reasons of declines that are shown; the CSV of payments has each. */
const reasonsShown = 10;
const centsPerUnit = 100;

type Period = (typeof figurePeriods)[number];

const labelOf = ({ from }: Figures, period: Period): string => (period === "month" ? from.slice(0, 7) : from.slice(5));

interface Shown {
  readonly visit: Visit;
  readonly period: Period;
  /** Oldest first. */
  readonly rows: readonly Figures[];
}

const sum = (rows: readonly Figures[], of: (row: Figures) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

const nameCount = (count: number, one: string, many = `${one}s`): string =>
  `${renderCount(count)} ${count === 1 ? one : many}`;

const spanOf = ({ rows, period }: Shown): string =>
  rows.length === 1 ? `in one ${period}` : `in ${rows.length} ${period}s`;

function buildCounts(
  shown: Shown,
  picture: { name: string; title: string; summary: string },
  parts: readonly (Series & { readonly of: (row: Figures) => number })[],
): Table {
  return buildBars(shown.visit, {
    ...picture,
    series: parts.map(({ name, tone }) => ({ name, tone })),
    bars: shown.rows.map((row) => ({ label: labelOf(row, shown.period), values: parts.map(({ of }) => of(row)) })),
  });
}

function buildApprovals(shown: Shown): Table[] {
  const { rows, period, visit } = shown;
  const [approved, declined] = [sum(rows, (row) => row.approved), sum(rows, (row) => row.declined)];
  const rate = ({ approved: yes, declined: no }: Pick<Figures, "approved" | "declined">): number | null =>
    yes + no === 0 ? null : Math.round((1_000 * yes) / (yes + no)) / 10;
  const total = rate({ approved, declined });
  return [
    buildLine(visit, {
      name: "approval-rate",
      title: "Approval rate",
      summary:
        total === null
          ? `No payment was asked for ${spanOf(shown)}.`
          : `${total} % of ${nameCount(approved + declined, "payment")} ${spanOf(shown)}.`,
      unit: "Approved in per cent",
      tone: "good",
      points: rows.map((row) => ({ label: labelOf(row, period), value: rate(row) })),
    }),
  ];
}

const buildSpending = (shown: Shown): Table[] =>
  currencies
    .filter((currency) => shown.rows.some(({ spent }) => spent[currency] !== 0n))
    .map((currency) => {
      const unitsOf = (row: Figures): number => Number(row.spent[currency]) / centsPerUnit;
      const total = formatApproximate(sum(shown.rows, unitsOf), currency);
      return buildCounts(
        shown,
        {
          name: `spent-${currency.toLowerCase()}`,
          title: `Spent in ${currency}`,
          summary: `${total} ${spanOf(shown)}, refunds taken off.`,
        },
        // A bar has no height below zero; the table has the exact sum.
        [{ name: currency, tone: "first", of: (row) => Math.max(0, unitsOf(row)) }],
      );
    });

function buildDeclines({ visit, rows }: Shown): Table {
  return buildTable(visit, {
    name: "top-declines",
    none: "No payment was declined.",
    rows: sumDeclines(rows).slice(0, reasonsShown),
    columns: [
      { name: "Declines", text: ({ count }) => count, cell: ({ count }) => renderCount(count) },
      { name: "Because", text: ({ happened }) => happened },
      {
        name: "Code",
        text: ({ reason }) => reason || null,
        cell: ({ reason }) =>
          reason === ""
            ? markup`<span class="none">–</span>`
            : markup`<a href="${linkTo("/operator/payments", { status: "DECLINED", reason })}"><code>${reason}</code></a>`,
      },
    ],
  });
}

/** Pictures and declines of the newest periods. */
export async function renderFigureCharts(visit: Visit): Promise<Beside> {
  const period = readChoice(visit, "period", figurePeriods) ?? "day";
  const newest = await listFigures(visit.ctx, { period, after: null, limit: shownCounts[period] });
  const [latest] = newest;
  if (latest === undefined) return {};
  const shown: Shown = { visit, period, rows: newest.toReversed() };
  const { rows } = shown;
  const charts = [
    buildCounts(
      shown,
      {
        name: "sign-ups",
        title: "Sign-ups",
        summary: `${nameCount(
          sum(rows, (row) => row.signUps),
          "person",
          "people",
        )} signed up ${spanOf(shown)}.`,
      },
      [{ name: "signed up", tone: "second", of: (row) => row.signUps }],
    ),
    buildCounts(
      shown,
      {
        name: "activated",
        title: "Activations",
        summary: `${nameCount(
          sum(rows, (row) => row.activated),
          "person",
          "people",
        )} got their first active card ${spanOf(shown)}.`,
      },
      [{ name: "activated", tone: "good", of: (row) => row.activated }],
    ),
    buildCounts(
      shown,
      {
        name: "active-cards",
        title: `Cards that paid in the ${period}`,
        summary: `${nameCount(latest.activeCards, "card")} in the newest ${period}.`,
      },
      [{ name: "cards", tone: "first", of: (row) => row.activeCards }],
    ),
    ...buildSpending(shown),
    ...buildApprovals(shown),
    buildCounts(
      shown,
      {
        name: "withdrawals",
        title: "Executed withdrawals",
        summary: `${nameCount(
          sum(rows, (row) => row.withdrawals),
          "withdrawal",
        )} ${spanOf(shown)}.`,
      },
      [{ name: "withdrawals", tone: "third", of: (row) => row.withdrawals }],
    ),
  ];
  const declines = buildDeclines(shown);
  return {
    pictures: markup`<p>The newest figures were counted ${renderTime(latest.countedAt)}.</p>
      <div class="charts">${charts}</div>
      <h2>Top declines</h2>
      ${declines}
      <h2>By ${period}</h2>`,
    tables: [...charts, declines],
  };
}
