/** Sets of MCCs as ascending ranges that do not touch each other. */
export type MccRanges = readonly (readonly [from: number, to: number])[];

const mccMax = 9_999;

/** The MCCs of rules' values: single codes and ranges. */
export function readRanges(values: readonly string[]): MccRanges {
  const given = values.map((value) => value.split("-").map(Number));
  return unite(given.map(([from = 0, to = from]) => [from, to] as const));
}

/** The union of ranges in any order. */
export function unite(ranges: MccRanges): MccRanges {
  const united: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = united.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else united.push([from, to]);
  }
  return united;
}

/** Every MCC that is in none of the ranges. */
export function complement(ranges: MccRanges): MccRanges {
  const starts = [0, ...ranges.map(([, to]) => to + 1)];
  const ends = [...ranges.map(([from]) => from - 1), mccMax];
  return starts.map((from, index) => [from, ends[index] ?? mccMax] as const).filter(([from, to]) => from <= to);
}

const spell = (mcc: number): string => String(mcc).padStart(4, "0");

/** MccRanges as values of rules. */
export const formatRanges = (ranges: MccRanges): string[] =>
  ranges.map(([from, to]) => (from === to ? spell(from) : `${spell(from)}-${spell(to)}`));
