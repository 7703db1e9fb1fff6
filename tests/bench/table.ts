/** Tables of measures and of their changes, for people. */
import type { Change } from "./change.ts";
import type { Measure } from "./measure.ts";

const head = ["measure", "ratio", "spread", "value", "baseline", "p50", "p99", "target", ""];

/** One line per measure. */
export const renderTable = (measures: readonly Measure[]): string => alignCells([head, ...measures.map(toCells)], 7);

/** One line per figure, with how many times better this tree is. */
export const renderChanges = (changes: readonly Change[]): string =>
  alignCells(
    [
      ["figure", "before", "now", "times better", "spread", "verdict"],
      ...changes.map(({ name, unit, before, after, factor, spread, verdict }) => [
        name,
        `${formatNumber(before)} ${unit}`,
        `${formatNumber(after)} ${unit}`,
        factor.toFixed(2),
        `${spread[0].toFixed(2)}-${spread[1].toFixed(2)}`,
        verdict,
      ]),
    ],
    5,
  );

/** The first column and those from `textFrom` on are texts; figures between them are right-aligned. */
function alignCells(rows: readonly (readonly string[])[], textFrom: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 || column >= textFrom ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

function toCells({ name, ratio, spread, value, unit, baseline, p50, p99, target, met }: Measure): string[] {
  const digits = ratio === null ? 1 : 2;
  return [
    name,
    ratio?.toFixed(2) ?? "",
    `${spread[0].toFixed(digits)}-${spread[1].toFixed(digits)}`,
    `${formatNumber(value)} ${unit}`,
    baseline === null ? "" : formatNumber(baseline),
    p50 === undefined ? "" : formatPercentile(p50, unit),
    p99 === undefined ? "" : formatPercentile(p99, unit),
    target ?? "",
    met === null ? "" : met ? "✓" : "✗ missed",
  ];
}

/** Percentiles of a rate are durations. */
const formatPercentile = (value: number, unit: string): string =>
  unit.endsWith("/s") ? `${value.toFixed(2)} ms` : `${value} ${unit}`;

const formatNumber = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
