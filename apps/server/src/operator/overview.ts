/** The overview: whether the service works, and its backlog. */
import { formatAge } from "@cardkeep/contract/core/durations";
import { failedCountedMax } from "@cardkeep/db/queries/partners/deliveries/backlogs";
import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { jobWaitSecondsMax } from "@cardkeep/domain/operations/health/checkHealth";
import { countApprovals } from "@cardkeep/domain/operations/executors/decideApproval";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import type { Finding } from "@cardkeep/domain/operations/health/finding";
import { listDecisionHours } from "@cardkeep/domain/operations/health/listDecisionHours";
import { countFailed, listAttemptHours } from "@cardkeep/domain/operations/health/measureDeliveries";
import { measureWork, type WorkMeasures } from "@cardkeep/domain/operations/health/measureWork";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import { isUnavailable } from "@cardkeep/domain/core/errors";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { buildAttemptChart, buildDecisionCharts, buildRelayerChart, buildWorkCharts } from "./overviewCharts.ts";
import { linkTo, type ShowPage, type Table, type Visit } from "./page/page.ts";
import { renderCount, renderStatus, renderTable } from "./page/parts.ts";
import { buildTable } from "./page/table.ts";

/** Null while database or node is away. The checks name the reason, and the rest of the page is still shown. */
const unlessAway = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (isUnavailable(error)) return null;
    throw error;
  });

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly link: string;
  /** The operator must act. */
  readonly isBad?: boolean;
}

const renderFigure = ({ name, value, link, isBad = false }: Figure): Html =>
  markup`<li><a href="${link}" class="${isBad ? "bad" : "well"}"><span>${name}</span> <strong>${value}</strong></a></li>`;

const sum = (rows: readonly { count: number }[]): number => rows.reduce((total, { count }) => total + count, 0);

function listWorkFigures({
  jobs,
  oldestJobSeconds,
  delays,
  latenessSeconds,
  changedAccounts,
  openCases,
}: WorkMeasures): Figure[] {
  const countJobs = (state: string): number => sum(jobs.filter((job) => job.state === state));
  const failed = countJobs("failed");
  return [
    {
      name: "Oldest waiting job",
      value: countJobs("waiting") === 0 ? "none waits" : formatAge(oldestJobSeconds),
      link: linkTo("/operator/jobs", { state: "waiting" }),
      isBad: oldestJobSeconds > jobWaitSecondsMax,
    },
    {
      name: "Jobs given up",
      value: `${renderCount(failed)}${failed < jobsCountedMax ? "" : " or more"}`,
      link: linkTo("/operator/jobs", { state: "failed" }),
      isBad: failed > 0,
    },
    {
      name: "Open delayed operations",
      value: renderCount(sum(delays)),
      link: linkTo("/operator/delays", { open: "yes" }),
    },
    {
      name: "Most overdue delayed operation",
      value: formatAge(latenessSeconds),
      link: linkTo("/operator/delays", { status: "WAITING" }),
      isBad: latenessSeconds > jobWaitSecondsMax,
    },
    {
      name: "Changed accounts",
      value: renderCount(sum(changedAccounts)),
      link: "/operator/users",
      isBad: sum(changedAccounts) > 0,
    },
    {
      name: "Open cases",
      value: renderCount(sum(openCases)),
      link: linkTo("/operator/cases", { status: "OPEN" }),
      isBad: sum(openCases) > 0,
    },
  ];
}

const nameApprovals = (waiting: number): Figure => ({
  name: "Requests that wait for a second person",
  value: renderCount(waiting),
  link: linkTo("/operator/approvals", { status: "WAITING" }),
  isBad: true,
});

const listRelayerFigures = (relayers: readonly RelayerHealth[]): Figure[] => [
  {
    name: "Transactions in flight",
    value: renderCount(relayers.reduce((total, { openCount }) => total + openCount, 0)),
    link: "/operator/relayers",
    isBad: relayers.some(({ nonceGap }) => nonceGap > 0n),
  },
  {
    name: "Operations with funds",
    value: renderCount(
      relayers
        .filter(({ state }) => state === "ACTIVE")
        .reduce<bigint | null>((least, { operationsFunded: n }) => (least === null || n < least ? n : least), null) ??
        0n,
    ),
    link: "/operator/relayers",
  },
];

const dayHours = 24;

const listDeliveryFigures = (failed: number, { deliveryLagSeconds }: WorkMeasures): Figure[] => [
  {
    name: "Failed deliveries",
    value: `${renderCount(failed)}${failed < failedCountedMax ? "" : " or more"}`,
    link: linkTo("/operator/deliveries", { status: "FAILED" }),
    isBad: failed > 0,
  },
  {
    name: "Most overdue delivery",
    value: formatAge(deliveryLagSeconds),
    link: linkTo("/operator/deliveries", { status: "PENDING" }),
    isBad: deliveryLagSeconds > jobWaitSecondsMax,
  },
];

const buildChecks = (visit: Visit, checks: readonly Finding[]): Table =>
  buildTable(visit, {
    name: "checks",
    rows: checks,
    none: "No check ran.",
    columns: [
      { name: "Check", text: ({ check }) => check, cell: ({ check }) => markup`<strong>${check}</strong>` },
      { name: "Is", text: ({ severity }) => severity, cell: ({ severity }) => renderStatus(severity) },
      { name: "Found", text: ({ text }) => text, cell: ({ text }) => prose(text) },
    ],
  });

/** Figures and checks that a person must act on: the first of the page. */
function renderToDo(waiting: readonly Figure[], failed: readonly Finding[]): Html {
  if (failed.length + waiting.length === 0)
    return markup`<p class="none">Nothing: no case is open, and all checks passed.</p>`;
  return markup`${waiting.length > 0 && markup`<ul class="figures">${waiting.map(renderFigure)}</ul>`}
    ${
      failed.length > 0 &&
      renderTable(
        ["Check", "Is", "Found"],
        failed.map(({ check, severity, text }) => [
          markup`<strong>${check}</strong>`,
          renderStatus(severity),
          prose(text),
        ]),
        "",
      )
    }`;
}

export const showOverview: ShowPage = async (visit) => {
  const { ctx } = visit;
  const [checks, work, relayers, failedDeliveries, decisions, attempts, approvals] = await Promise.all([
    diagnose(ctx),
    unlessAway(measureWork(ctx)),
    unlessAway(listRelayers(ctx)),
    unlessAway(countFailed(ctx)),
    unlessAway(listDecisionHours(ctx, { count: dayHours })),
    unlessAway(listAttemptHours(ctx, { count: dayHours })),
    unlessAway(countApprovals(ctx)),
  ]);
  const figures = [
    ...(approvals !== null && approvals > 0 ? [nameApprovals(approvals)] : []),
    ...(work ? listWorkFigures(work) : []),
    ...(work && failedDeliveries !== null ? listDeliveryFigures(failedDeliveries, work) : []),
    ...(relayers ? listRelayerFigures(relayers) : []),
  ];
  const [decisionBars, decisionTimes, declines] = decisions ? buildDecisionCharts(visit, decisions) : [];
  const charts = [
    decisionBars,
    decisionTimes,
    attempts && buildAttemptChart(visit, attempts),
    ...(work ? buildWorkCharts(visit, work) : []),
    relayers && buildRelayerChart(visit, relayers),
  ].filter((chart) => chart != null);
  const checkTable = buildChecks(visit, checks);
  const failed = checks.filter(({ severity }) => severity !== "ok");
  const [waiting, well] = [figures.filter(({ isBad }) => isBad), figures.filter(({ isBad }) => !isBad)];
  return {
    title: "Overview",
    body: markup`<h2>What to do</h2>
      ${renderToDo(waiting, failed)}
      <h2>Who waits</h2>
      ${figures.length === 0 && markup`<p class="none">Unknown while the database and the node do not answer.</p>`}
      <ul class="figures">
        ${well.map(renderFigure)}
      </ul>
      <h2>Last 24 hours</h2>
      ${charts.length === 0 && markup`<p class="none">Unknown while the database and the node do not answer.</p>`}
      <div class="charts">${charts}</div>
      ${declines && markup`<h2>Declines</h2> ${declines}`}
      <h2>Checks</h2>
      <details><summary>${failed.length === 0 ? `All ${checks.length} checks passed` : `${failed.length} of ${checks.length} checks found something`}</summary>
        ${checkTable}</details>`,
    tables: [checkTable, ...charts, ...(declines ? [declines] : [])],
  };
};
