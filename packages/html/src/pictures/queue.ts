/** The picture of a Safe's delay queue: a bar for each operation, from its acceptance over its cooldown to its end. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { markup, type Html, type Part } from "../markup.ts";
import { renderCountdown } from "./countdown.ts";
import { cut, percent, type Picture, renderSvg } from "./picture.ts";
import { listPhases, nameWait, type QueueRow, queueTones } from "./queueRows.ts";

const rowPx = 42;
const barPx = 10;
const axisPx = 20;

/** The part of a phone's width that half the mark of an end takes. */
const markRoom = 0.022;

/** What fits beside the wait on a phone. */
const labelLengthMax = 24;

/** A time of the axis: without its day within one day. */
const formatAxis = (ms: number, spanMs: number): string => {
  const iso = new Date(ms).toISOString();
  return spanMs < dayMs ? iso.slice(11, 19) : iso.slice(5, 16).replace("T", " ");
};

interface Axis {
  readonly now: Date;
  readonly spanMs: number;
  xOf(at: Date): number;
}

function renderRow(row: QueueRow, index: number, { now, spanMs, xOf }: Axis, shownId: string | null): Part {
  const y = index * rowPx + rowPx - barPx - 8;
  const bars = listPhases(row, now).map(({ name, tone, from, until, isAhead }) => {
    const [since, to] = [from, until].map((at) => formatAxis(at.getTime(), spanMs));
    return markup`<rect class="tone-${tone}${isAhead && " ahead"}" x="${percent(xOf(from))}" width="${percent(xOf(until) - xOf(from))}" y="${y}" height="${barPx}"><title>${name}: ${since} to ${to}</title></rect>`;
  });
  const { words, until } = nameWait(row, now);
  const end = row.isExecuted ? queueTones[3] : queueTones[4];
  const mark =
    row.endedAt &&
    markup`<circle class="tone-${end.tone}" cx="${percent(Math.max(markRoom, xOf(row.endedAt)))}" cy="${y + barPx / 2}" r="7"><title>${words}</title></circle>`;
  const nonce = row.queueNonce === null ? "" : `#${row.queueNonce} `;
  return markup`<g>
    <title>${nonce}${row.label}</title>
    <text x="0" y="${y - 6}" class="name${row.id === shownId && " shown"}">${
      row.isHead && markup`<tspan class="head">▶ head </tspan>`
    }${cut(`${nonce}${row.label}`, labelLengthMax)}${row.id === shownId && " · this one"}</text>
    <text x="100%" y="${y - 6}" text-anchor="end" class="name">${words}${until && markup` ${renderCountdown(until, now)}`}</text>
    ${bars} ${mark}
  </g>`;
}

/** Draws every one of these operations once, in their order. `shownId` is the operation that the page is about. */
export function drawQueue({
  now,
  rows,
  shownId = null,
  ...picture
}: Picture & {
  readonly now: Date;
  readonly rows: readonly QueueRow[];
  readonly shownId?: string | null;
}): Html {
  const instants = rows.flatMap(({ acceptedAt, readyAt, endedAt }) => [
    acceptedAt,
    ...(endedAt ? [endedAt] : [now, ...(readyAt ? [readyAt] : [])]),
  ]);
  const [fromMs, untilMs] = [Math.min(...instants.map(Number)), Math.max(...instants.map(Number))];
  const spanMs = untilMs - fromMs;
  const xOf = (at: Date): number => (1 - markRoom) * ((at.getTime() - fromMs) / Math.max(1, spanMs));
  const height = rows.length * rowPx + axisPx;
  const nowX = percent(xOf(now));
  const isNowShown = now.getTime() <= untilMs && now.getTime() >= fromMs;
  return renderSvg(
    picture,
    height,
    markup`
    ${isNowShown && markup`<line class="now" x1="${nowX}" x2="${nowX}" y1="2" y2="${height - axisPx}"><title>Now</title></line>`}
    ${rows.map((row, index) => renderRow(row, index, { now, spanMs, xOf }, shownId))}
    ${
      rows.length > 0 &&
      markup`<text x="0" y="${height - 4}">${formatAxis(fromMs, spanMs)}</text>
      <text x="100%" y="${height - 4}" text-anchor="end">${formatAxis(untilMs, spanMs)}</text>`
    }`,
  );
}

/** What the colours of these operations mean, and the line of the present. */
export function renderQueueLegend(rows: readonly QueueRow[], now: Date): Html {
  const ends = rows.flatMap(({ endedAt, isExecuted }) =>
    endedAt === null ? [] : [queueTones[isExecuted ? 3 : 4].name],
  );
  const drawn = new Set<string>([...ends, ...rows.flatMap((row) => listPhases(row, now).map(({ name }) => name))]);
  return markup`<ul class="legend">
    ${queueTones.map(({ name, tone }) => drawn.has(name) && markup`<li class="tone-${tone}">${name}</li>`)}
    ${rows.some(({ endedAt }) => endedAt === null) && markup`<li class="present">now</li>`}
  </ul>`;
}
