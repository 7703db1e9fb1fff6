/**
 * The picture of a payment: a line from the tap to the settlement. Each transfer on chain leaves the card's line as a branch.
 *
 * - track: a line from top to bottom; the first is the card's, each transfer has one.
 */
import { formatDuration } from "@cardkeep/contract/core/durations";
import { markup, type Html, type Part } from "../markup.ts";
import { renderLegend } from "./legend.ts";
import { cut, type Picture, renderSvg, type Tone } from "./picture.ts";

/** One step of a payment. */
export interface DrawnStep {
  readonly at: Date;
  /** What happened, or the accounts that money moved between. */
  readonly word: string;
  readonly amount: string | null;
  /** Names the transfer that it belongs to; null for a step of the card. */
  readonly transfer: number | null;
  readonly isBooking: boolean;
}

const rowPx = 38;
const trackPx = 15;
const edgePx = 9;
/** Further transfers share the last track. */
const tracksMax = 6;
const wordLengthMax = 24;
const amountLengthMax = 20;

// A map, because a word may be the name of a method of every object.
const tones: ReadonlyMap<string, Tone> = new Map([
  ["authorized", "first"],
  ["raised", "first"],
  ["cleared without an authorization", "good"],
  ["captured", "good"],
  ["credited", "good"],
  ["mined", "good"],
  ["settled", "good"],
  ["refunded", "second"],
  ["reversed", "second"],
  ["return planned", "second"],
  ["held", "waiting"],
  ["signed", "waiting"],
  ["declined", "bad"],
  ["raise declined", "bad"],
  ["disputed", "bad"],
  ["transfer failed", "bad"],
]);

const meanings = [
  { name: "authorized", tone: "first" },
  { name: "held, on its way", tone: "waiting" },
  { name: "captured, on chain", tone: "good" },
  { name: "returned", tone: "second" },
  { name: "declined, disputed, failed", tone: "bad" },
  { name: "booked, and other", tone: "plain" },
] as const satisfies readonly { name: string; tone: Tone }[];

const toneOf = ({ word, isBooking }: DrawnStep): Tone => (isBooking ? "plain" : (tones.get(word) ?? "plain"));

/** What the colours of these steps mean. */
export function renderPaymentLegend(steps: readonly DrawnStep[]): Html {
  const drawn = new Set(steps.map(toneOf));
  return renderLegend(meanings.filter(({ tone }) => drawn.has(tone)));
}

/** The time of a step, and how long after the one before it. */
function formatTime({ at }: DrawnStep, before: DrawnStep | undefined): string {
  const iso = at.toISOString();
  const isSameDay = before?.at.toISOString().slice(0, 10) === iso.slice(0, 10);
  const time = isSameDay ? iso.slice(11, 19) : iso.slice(0, 19).replace("T", " ");
  const seconds = before ? (at.getTime() - before.at.getTime()) / 1_000 : 0;
  return seconds < 1 ? time : `${time}, ${formatDuration(seconds)} later`;
}

interface Place {
  readonly step: DrawnStep;
  readonly track: number;
  readonly x: number;
  readonly y: number;
}

/** The highest point of a transfer's branch, on the card's line. */
const branchY = ({ y }: Place): number => Math.max(0, y - rowPx * 0.6);

function placeSteps(steps: readonly DrawnStep[], transfers: readonly number[]): Place[] {
  return steps.map((step, row) => {
    const track = step.transfer === null ? 0 : Math.min(transfers.indexOf(step.transfer) + 1, tracksMax);
    return { step, track, x: edgePx + track * trackPx, y: row * rowPx + rowPx / 2 };
  });
}

/** The line of a transfer from its first step to its last, out of the card's line. */
function renderBranch(places: readonly Place[]): Part {
  const [first] = places;
  if (!first) return null;
  const { x, y } = first;
  const lastY = places.at(-1)?.y ?? y;
  return markup`<path class="track" d="M${edgePx},${branchY(first)} C${edgePx},${y - 8} ${x},${y - 15} ${x},${y} L${x},${lastY}" />`;
}

/** Draws every one of these steps once, in their order. */
export function drawPaymentLine({ steps, ...picture }: Picture & { readonly steps: readonly DrawnStep[] }): Html {
  const transfers = [...new Set(steps.flatMap(({ transfer }) => transfer ?? []))];
  const tracks = Math.min(transfers.length, tracksMax);
  const places = placeSteps(steps, transfers);
  const branches = Array.from({ length: tracks }, (_, index) => places.filter(({ track }) => track === index + 1));
  // The card's line reaches the last transfer, which comes out of it.
  const ends = [
    ...places.filter(({ track }) => track === 0).map(({ y }) => y),
    ...branches.flatMap(([first]) => (first ? branchY(first) : [])),
  ];
  const textX = edgePx + tracks * trackPx + 18;
  const rows = places.map(({ step, x, y }, row) => {
    const { word, amount, isBooking } = step;
    const mark = isBooking
      ? markup`<rect class="tone-plain" x="${x - 4}" y="${y - 4}" width="8" height="8" />`
      : markup`<circle class="tone-${toneOf(step)}" cx="${x}" cy="${y}" r="6.5" />`;
    return markup`<g>
      <title>${word} ${amount}</title>
      ${mark}
      <text class="${isBooking ? "booked" : "shown"}" x="${textX}" y="${y - 2}">${cut(word, wordLengthMax)}</text>
      <text class="amounts" x="100%" y="${y - 2}" text-anchor="end">${amount !== null && cut(amount, amountLengthMax)}</text>
      <text x="${textX}" y="${y + 12}">${formatTime(step, steps[row - 1])}</text>
    </g>`;
  });
  return renderSvg(
    picture,
    steps.length * rowPx,
    markup`${
      ends.length > 0 &&
      markup`<line class="track" x1="${edgePx}" x2="${edgePx}" y1="${Math.min(...ends)}" y2="${Math.max(...ends)}" />`
    } ${branches.map(renderBranch)} ${rows}`,
  );
}
