/** The picture of one delivery: each attempt as a mark over time, up to the next one. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { markup, type Html } from "../markup.ts";
import { renderCountdown } from "./countdown.ts";
import { percent, type Picture, renderSvg } from "./picture.ts";

/** One attempt and its answer. */
export interface DrawnAttempt {
  readonly at: Date;
  readonly isGood: boolean;
  /** `503`, or why there was no answer. */
  readonly answer: string;
}

const heightPx = 74;
const lineY = 38;

const formatAxis = (at: Date, spanMs: number): string => {
  const iso = at.toISOString();
  return spanMs < dayMs ? iso.slice(11, 19) : iso.slice(5, 16).replace("T", " ");
};

/** Draws every attempt once, from the creation of the delivery on. `next` is the time of the next attempt; null for none. */
export function drawAttempts({
  createdAt,
  attempts,
  next,
  now,
  ...picture
}: Picture & {
  readonly createdAt: Date;
  readonly attempts: readonly DrawnAttempt[];
  readonly next: Date | null;
  readonly now: Date;
}): Html {
  const instants = [createdAt, ...attempts.map(({ at }) => at), ...(next ? [next] : [])].map(Number);
  const [fromMs, untilMs] = [Math.min(...instants), Math.max(...instants)];
  const spanMs = untilMs - fromMs;
  const xOf = (at: Date): number => 0.025 + 0.95 * ((at.getTime() - fromMs) / Math.max(1, spanMs));
  return renderSvg(
    picture,
    heightPx,
    markup`<line class="track" x1="2.5%" x2="${percent(xOf(new Date(untilMs)))}" y1="${lineY}" y2="${lineY}" />
    ${attempts.map(
      ({ at, isGood, answer }) =>
        markup`<circle class="tone-${isGood ? "good" : "bad"}" cx="${percent(xOf(at))}" cy="${lineY}" r="7"><title>${formatAxis(at, spanMs)}: ${answer}</title></circle>`,
    )}
    ${
      next &&
      markup`<circle class="next" cx="${percent(xOf(next))}" cy="${lineY}" r="7"><title>Next attempt</title></circle>
      <text class="name" x="100%" y="18" text-anchor="end">next in ${renderCountdown(next, now)}</text>`
    }
    <text x="0" y="${heightPx - 8}">${formatAxis(new Date(fromMs), spanMs)}</text>
    <text x="100%" y="${heightPx - 8}" text-anchor="end">${formatAxis(new Date(untilMs), spanMs)}</text>`,
  );
}
