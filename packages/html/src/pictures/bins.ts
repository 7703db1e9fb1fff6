/** Counts over time: each thing falls into one of at most so many spans of equal length. */

/** A thing with an outcome. */
export interface Outcome {
  readonly at: Date;
  readonly isGood: boolean;
}

/** How many of each outcome happened in one span. */
export interface Bin {
  readonly from: Date;
  readonly good: number;
  readonly bad: number;
}

const [minute, hour, day] = [60, 3_600, 86_400];
/** Lengths in seconds that people read easily. */
const lengths = [1, 5, 10, 30, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day, 30 * day, 365 * day];

/** Counts outcomes in spans of one length from the first to the last; spans without any are there too. None for none. */
export function countInBins(outcomes: readonly Outcome[], binsMax: number): Bin[] {
  const seconds = outcomes.map(({ at }) => Math.floor(at.getTime() / 1_000));
  if (seconds.length === 0) return [];
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  // Spans begin at round times, unless so few are wanted that no round length fits.
  const round = lengths.find((one) => Math.floor(last / one) - Math.floor(first / one) < binsMax);
  const length = round ?? Math.ceil((last - first + 1) / binsMax);
  const begin = round === undefined ? first : Math.floor(first / round) * round;
  const placeOf = (second: number): number => Math.floor((second - begin) / length);
  const bins = Array.from({ length: placeOf(last) + 1 }, (_, index) => ({
    from: new Date((begin + index * length) * 1_000),
    good: 0,
    bad: 0,
  }));
  for (const [index, { isGood }] of outcomes.entries()) {
    const bin = bins[placeOf(seconds[index] ?? first)];
    if (bin) bin[isGood ? "good" : "bad"] += 1;
  }
  return bins;
}

/** The beginning of a span: its time of day, where all are within one day. */
export function formatBin({ from }: Bin, bins: readonly Bin[]): string {
  const days = new Set(bins.map((bin) => bin.from.toISOString().slice(0, 10)));
  const iso = from.toISOString();
  return days.size === 1 ? iso.slice(11, 19) : iso.slice(5, 16).replace("T", " ");
}
