/** The picture of a Safe's queue: a bar for each operation, from its acceptance over its cooldown to its end. */
import { formatAge } from "@cardkeep/contract/durations";
import { summariseEffect } from "@cardkeep/domain/delays/describeOperation";
import type { QueuedOperation } from "@cardkeep/domain/delays/listQueue";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { buildFigure, type ChartTone, percent, renderSvg } from "./chartParts.ts";
import type { Table, Visit } from "./page.ts";
import { renderIdLink, renderStatus } from "./parts.ts";
import { buildTable } from "./table.ts";

const rowPx = 40;
const barPx = 12;
const axisPx = 18;

interface Phase {
  readonly name: string;
  readonly tone: ChartTone;
  readonly from: Date;
  readonly until: Date;
}

const phases = [
  { name: "accepted, being queued", tone: "second" },
  { name: "cooling down", tone: "waiting" },
  { name: "ready", tone: "first" },
  { name: "executed", tone: "good" },
  { name: "failed", tone: "bad" },
] as const;

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);

/** What happened to an operation so far, and for an open one the rest of its cooldown. */
function listPhases({ acceptedAt, queuedAt, readyAt, endedAt }: QueuedOperation, now: Date): Phase[] {
  const end = endedAt ?? now;
  const queued = queuedAt ?? end;
  const cooled = readyAt ?? end;
  const [being, cooling, ready] = phases;
  return [
    { ...being, from: acceptedAt, until: earlier(queued, end) },
    { ...cooling, from: queued, until: endedAt ? earlier(cooled, endedAt) : cooled },
    { ...ready, from: cooled, until: end },
  ].filter(({ from, until }) => from < until);
}

/** The time until an instant, to the second below an hour. */
function formatLeft(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((at.getTime() - now.getTime()) / 1000));
  if (seconds >= 3_600) return formatAge(seconds);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** What an operation waits for, with the time that is left. */
export function describeWait(operation: QueuedOperation, now: Date): string {
  const { status, readyAt, expiresAt, endedAt, isHead, reason } = operation;
  if (endedAt !== null) return reason ?? status.toLowerCase();
  if (readyAt === null) return "its enqueue is being sent";
  if (readyAt > now) return `cools down for ${formatLeft(readyAt, now)} more`;
  const place = isHead ? "first in the queue, is to be executed" : "ready, waits for those before it";
  return expiresAt === null ? place : `${place}; expires in ${formatLeft(expiresAt, now)}`;
}

const nameRow = ({ queueNonce, effect, isHead }: QueuedOperation): string =>
  `${queueNonce === null ? "not queued" : `nonce ${queueNonce}`} · ${summariseEffect(effect)}${isHead ? " · head" : ""}`;

function renderBar(
  operation: QueuedOperation,
  row: number,
  { now, xOf, shownId }: { now: Date; xOf: (at: Date) => number; shownId: string },
): Part {
  const top = row * rowPx;
  const y = top + rowPx - barPx - 6;
  const bars = listPhases(operation, now).map(({ name, tone, from, until }) => {
    const text = `${name}: ${from.toISOString().slice(11, 19)} to ${until.toISOString().slice(11, 19)}`;
    return markup`<rect class="tone-${tone}" x="${percent(xOf(from))}" width="${percent(xOf(until) - xOf(from))}" y="${y}" height="${barPx}"><title>${text}</title></rect>`;
  });
  const end = operation.endedAt && operation.status === "EXECUTED" ? phases[3] : phases[4];
  const mark =
    operation.endedAt &&
    markup`<circle class="tone-${end.tone}" cx="${percent(xOf(operation.endedAt))}" cy="${y + barPx / 2}" r="7"><title>${end.name}</title></circle>`;
  const isShown = operation.id === shownId;
  return markup`<g>
    <text class="${isShown ? "shown" : "other"}" x="0" y="${y - 5}">${nameRow(operation)}${isShown && " · this one"}</text>
    ${bars} ${mark}
  </g>`;
}

const renderLegend = (): Html =>
  markup`<ul class="legend">
    ${phases.map(({ name, tone }) => markup`<li class="tone-${tone}">${name}</li>`)}
  </ul>`;

/** The queue, with the operation of this page among the others. */
export function buildQueueChart(
  visit: Visit,
  { now, operations, shownId }: { now: Date; operations: readonly QueuedOperation[]; shownId: string },
): Table {
  const instants = operations.flatMap(({ acceptedAt, readyAt, endedAt }) => [
    acceptedAt,
    ...(endedAt ? [endedAt] : [now, ...(readyAt ? [readyAt] : [])]),
  ]);
  const [fromMs, untilMs] = [Math.min(...instants.map(Number)), Math.max(...instants.map(Number))];
  // Room for the mark of an end.
  const xOf = (at: Date): number => 0.98 * ((at.getTime() - fromMs) / Math.max(1, untilMs - fromMs)) + 0.01;
  const height = operations.length * rowPx + axisPx;
  const isNowShown = now.getTime() <= untilMs && now.getTime() >= fromMs;
  const nowX = percent(xOf(now));
  const content = markup`
    ${isNowShown && markup`<line class="now" x1="${nowX}" x2="${nowX}" y1="0" y2="${height - axisPx}"><title>Now</title></line>`}
    ${operations.map((operation, row) => renderBar(operation, row, { now, xOf, shownId }))}
    <text x="0" y="${height - 4}">${new Date(fromMs).toISOString().slice(11, 19)}</text>
    <text x="100%" y="${height - 4}" text-anchor="end">${new Date(untilMs).toISOString().slice(11, 19)}</text>`;
  const open = operations.filter(({ endedAt }) => endedAt === null);
  const shown = operations.find(({ id }) => id === shownId);
  const picture = {
    name: "queue",
    title: "Queue of the Safe",
    summary: `${open.length} open. This one: ${shown ? describeWait(shown, now) : "not in it"}.`,
  };
  const numbers = buildTable(visit, {
    name: "queue",
    none: "There are no operations.",
    rows: operations,
    columns: [
      { name: "Operation", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/delays", id) },
      { name: "Queue nonce", text: ({ queueNonce }) => queueNonce },
      { name: "What", text: ({ effect }) => summariseEffect(effect) },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Accepted", text: ({ acceptedAt }) => acceptedAt },
      { name: "Queued", text: ({ queuedAt }) => queuedAt },
      { name: "Ready", text: ({ readyAt }) => readyAt },
      { name: "Ended", text: ({ endedAt }) => endedAt },
      { name: "Waits", text: (operation) => describeWait(operation, now) },
    ],
  });
  return buildFigure(picture, renderSvg(picture, height, content), renderLegend(), numbers);
}
