/** The pictures of the overview. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { describeDecline } from "@cardkeep/contract/spending/declineWords";
import { listStates } from "@cardkeep/contract/core/machine";
import type { Decisions } from "@cardkeep/domain/operations/health/listDecisionHours";
import type { RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import type { listAttemptHours } from "@cardkeep/domain/operations/health/measureDeliveries";
import type { WorkMeasures } from "@cardkeep/domain/operations/health/measureWork";
import { shorten } from "@cardkeep/domain/core/wording";
import type { Tone } from "@cardkeep/html/pictures/picture";
import { buildBars, buildLine, buildStates } from "./page/charts.ts";
import { linkTo, type Table, type Visit } from "./page/page.ts";
import { renderCount } from "./page/parts.ts";
import { buildTable } from "./page/table.ts";

const hourLabel = (hour: Date): string => hour.toISOString().slice(11, 16);

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "" : ` (${((100 * part) / whole).toFixed(1)}%)`;

/** Decisions about cards by hour, how long they took, and why cards were declined. */
export function buildDecisionCharts(visit: Visit, { hours, declines, approved, declined, p99Ms }: Decisions): Table[] {
  const total = approved + declined;
  return [
    buildBars(visit, {
      name: "decisions",
      title: "Card decisions by hour",
      summary:
        total === 0
          ? "No decision within 24 hours."
          : `${renderCount(approved)} approved, ${renderCount(declined)} declined${formatShare(declined, total)} within 24 hours.`,
      series: [
        { name: "approved", tone: "good" },
        { name: "declined", tone: "bad" },
      ],
      bars: hours.map((hour) => ({ label: hourLabel(hour.hour), values: [hour.approved, hour.declined] })),
    }),
    buildLine(visit, {
      name: "decision-times",
      title: "Decision time, 99th percentile",
      summary:
        p99Ms === null
          ? "No decision within 24 hours."
          : `99 of 100 decisions took up to ${p99Ms} ms. The service declines after ${visit.ctx.policy.decisionMsMax} ms.`,
      unit: "p99 in ms",
      points: hours.map(({ hour, p99Ms: value }) => ({ label: hourLabel(hour), value })),
    }),
    buildTable(visit, {
      name: "declines",
      none: "No card was declined within 24 hours.",
      rows: declines,
      columns: [
        { name: "Declines", text: ({ count }) => count, cell: ({ count }) => renderCount(count) },
        { name: "Because", text: ({ reason }) => describeDecline(reason).happened },
        { name: "Code", text: ({ reason }) => reason },
      ],
    }),
  ];
}

/** Attempts at the partners' endpoints by hour. */
export function buildAttemptChart(visit: Visit, hours: Awaited<ReturnType<typeof listAttemptHours>>): Table {
  const [succeeded, failed] = [
    hours.reduce((sum, hour) => sum + hour.succeeded, 0),
    hours.reduce((sum, hour) => sum + hour.failed, 0),
  ];
  const total = succeeded + failed;
  return buildBars(visit, {
    name: "attempts",
    title: "Delivery attempts by hour",
    summary:
      total === 0
        ? `No attempt within ${hours.length} hours.`
        : `${renderCount(succeeded)} succeeded, ${renderCount(failed)} failed${formatShare(failed, total)} within ${hours.length} hours.`,
    series: [
      { name: "succeeded", tone: "good" },
      { name: "failed", tone: "bad" },
    ],
    bars: hours.map((hour) => ({ label: hourLabel(hour.hour), values: [hour.succeeded, hour.failed] })),
  });
}

const delayTones: Readonly<Partial<Record<DelayStatus, Tone>>> = {
  QUEUING: "second",
  WAITING: "waiting",
  EXECUTING: "first",
};
const jobStates = { waiting: "waiting", running: "first", scheduled: "plain", failed: "bad" } as const;
const deliveryStates = { outbox: "second", due: "waiting", retrying: "bad", held: "plain" } as const;

const sumOf = (rows: readonly { count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);

/** Delayed operations, jobs and deliveries that are under way, by state. */
export function buildWorkCharts(visit: Visit, { delays, jobs, deliveries }: WorkMeasures): Table[] {
  const openDelays = listStates(delayMachine).filter((status) => delayTones[status] !== undefined);
  return [
    buildStates(visit, {
      name: "open-operations",
      title: "Open delayed operations",
      summary: `${renderCount(sumOf(delays))} accepted and not finished.`,
      states: openDelays.map((status) => ({
        name: status,
        count: sumOf(delays.filter((row) => row.status === status)),
        tone: delayTones[status] ?? "plain",
        link: linkTo("/operator/delays", { status }),
      })),
    }),
    buildStates(visit, {
      name: "jobs",
      title: "Jobs in the queue",
      summary: `${renderCount(sumOf(jobs.filter(({ state }) => state === "waiting")))} could run now.`,
      states: Object.entries(jobStates).map(([state, tone]) => ({
        name: state,
        count: sumOf(jobs.filter((row) => row.state === state)),
        tone,
        link: linkTo("/operator/jobs", { state }),
      })),
    }),
    buildStates(visit, {
      name: "open-deliveries",
      title: "Events on their way to partners",
      summary: `${renderCount(sumOf(deliveries))} not delivered yet.`,
      states: Object.entries(deliveryStates).map(([state, tone]) => ({
        name: state,
        count: sumOf(deliveries.filter((row) => row.state === state)),
        tone,
        link: linkTo("/operator/deliveries", { status: "PENDING" }),
      })),
    }),
  ];
}

/** What each relayer can pay for. */
export const buildRelayerChart = (visit: Visit, relayers: readonly RelayerHealth[]): Table =>
  buildBars(visit, {
    name: "relayer-funds",
    title: "Operations that each relayer can pay for",
    summary: relayers
      .map(
        ({ address, nextNonce, chainNonce }) => `${shorten(address)}: next nonce ${nextNonce}, on chain ${chainNonce}`,
      )
      .join("; "),
    series: [{ name: "operations", tone: "third" }],
    bars: relayers.map(({ address, operationsFunded }) => ({
      label: shorten(address),
      values: [Number(operationsFunded)],
    })),
  });
