/** A table of measures for people. */
import type { Measure } from "./measure.ts";

const head = ["measure", "ratio", "spread", "value", "baseline", "p50", "p99", "target", ""];

/** A table with one line per measure; figures are right-aligned. */
export function renderTable(measures: readonly Measure[]): string {
  const rows = [head, ...measures.map(toCells)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const isText = (column: number): boolean => column === 0 || column >= 7;
const pad = (cell: string, width: number, column: number) =>
  isText(column) ? cell.padEnd(width) : cell.padStart(width);

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
