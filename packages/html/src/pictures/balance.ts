/** The picture of a balance over time: it holds from one change until the next, so it is drawn in steps. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { markup, type Html } from "../markup.ts";
import { heightPx, percent, type Picture, renderRules, renderScale, renderSvg, roundUpScale, yOf } from "./picture.ts";

/** A balance from an instant on. */
export interface BalanceStep {
  readonly at: Date;
  readonly balance: number;
  /** What changed it: `+25 EURe`. */
  readonly change: string;
}

const formatAxis = (ms: number, spanMs: number): string => {
  const iso = new Date(ms).toISOString();
  return spanMs < dayMs ? iso.slice(11, 19) : iso.slice(5, 16).replace("T", " ");
};

/** Draws every step once, from the first until now. Steps are in the order of time. */
export function drawBalance({
  steps,
  now,
  format,
  ...picture
}: Picture & {
  readonly steps: readonly BalanceStep[];
  readonly now: Date;
  readonly format: (value: number) => string;
}): Html {
  const fromMs = steps[0]?.at.getTime() ?? now.getTime();
  const untilMs = Math.max(now.getTime(), steps.at(-1)?.at.getTime() ?? fromMs);
  const spanMs = untilMs - fromMs;
  const xOf = (at: Date): number => 0.01 + 0.98 * ((at.getTime() - fromMs) / Math.max(1, spanMs));
  const highest = Math.max(0, ...steps.map(({ balance }) => balance));
  // Of 1, 2, 5 and 10, as counts have it, half of the picture could be empty. A third of the least number is rounded down.
  const max = Math.max(
    highest,
    Math.min(roundUpScale(highest), roundUpScale(highest / 3) * 3, roundUpScale(highest / 4) * 4),
  );
  const drawn = steps.map(({ at, balance, change }, index) => {
    const end = steps[index + 1]?.at ?? new Date(untilMs);
    const [from, until] = [xOf(at), xOf(end)];
    const [y, before] = [yOf(balance, max), yOf(steps[index - 1]?.balance ?? 0, max)];
    return markup`<g>
      <title>${formatAxis(at.getTime(), spanMs)}: ${change}, then ${format(balance)}</title>
      <rect class="held" x="${percent(from)}" width="${percent(until - from)}" y="${y}" height="${yOf(0, max) - y}" />
      <line class="value" x1="${percent(from)}" x2="${percent(from)}" y1="${before}" y2="${y}" />
      <line class="value" x1="${percent(from)}" x2="${percent(until)}" y1="${y}" y2="${y}" />
    </g>`;
  });
  return renderSvg(
    picture,
    heightPx,
    markup`${renderRules(max)} <g class="tone-first">${drawn}</g> ${renderScale(max, format)}
    ${
      steps.length > 0 &&
      markup`<text x="0" y="${heightPx - 4}">${formatAxis(fromMs, spanMs)}</text>
      <text x="100%" y="${heightPx - 4}" text-anchor="end">${formatAxis(untilMs, spanMs)}</text>`
    }`,
  );
}
