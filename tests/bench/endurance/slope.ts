/** The slope of a figure that goes up and down, such as the memory of a process with garbage collection. */
import { median } from "../measure.ts";

/** A sample: hours since the start, and the figure. */
export type Point = readonly [hours: number, value: number];

export interface Slope {
  /** Growth in an hour. */
  readonly perHour: number;
  /** The interval that holds the slope with 95 % confidence; without bounds for fewer than five windows. */
  readonly interval: readonly [number, number];
}

/** Two-sided 95 % of the normal distribution. */
const deviations = 1.96;
const windowsMin = 5;

/** The lowest point of each of so many windows of equal length: what garbage collection could not free. */
function findLows(points: readonly Point[], windows: number): Point[] {
  const [first] = points[0] ?? [0];
  const [last] = points.at(-1) ?? [0];
  const length = (last - first) / windows || 1;
  const lows = new Map<number, Point>();
  for (const point of points) {
    const index = Math.min(windows - 1, Math.floor((point[0] - first) / length));
    const low = lows.get(index);
    if (low === undefined || point[1] < low[1]) lows.set(index, point);
  }
  return [...lows.values()];
}

/**
 * Theil and Sen's slope of the lows: the median of the slopes of all pairs, so single jumps do not move it. Its interval is
 * Sen's (1968), by the variance of Kendall's tau.
 */
export function fitSlope(points: readonly Point[], windows = 30): Slope {
  const lows = findLows(points, windows);
  const count = lows.length;
  const slopes = lows
    .flatMap(([hours, value], index) =>
      lows.slice(index + 1).flatMap(([later, next]) => (later > hours ? [(next - value) / (later - hours)] : [])),
    )
    .toSorted((a, b) => a - b);
  if (count < windowsMin)
    return { perHour: median(slopes), interval: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] };
  const width = deviations * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const lower = Math.max(0, Math.round((slopes.length - width) / 2));
  const upper = Math.min(slopes.length - 1, Math.round((slopes.length + width) / 2));
  return { perHour: median(slopes), interval: [slopes[lower] ?? Number.NaN, slopes[upper] ?? Number.NaN] };
}
