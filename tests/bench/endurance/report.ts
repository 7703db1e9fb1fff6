/** Growth of a program, in lines for people. */
import type { PartSample, Samples } from "./samples.ts";
import { fitSlope, type Point } from "./slope.ts";
import type { Table } from "./tables.ts";

const deadRowsMin = 500;
const bytesMin = 256 * 1024;
const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** What grew: memory and handles by part, tables, and files. */
export function describeGrowth(
  { samples, stored }: Pick<Samples, "samples" | "stored">,
  skippedHours: number,
): string[] {
  const used = samples.filter(({ hours }) => hours >= skippedHours);
  const [first, last] = [used[0], used.at(-1)];
  if (!first || !last) return [];
  const lines = Object.keys(last.parts).map((name) => {
    const part = name as keyof typeof last.parts;
    const list = (read: (sample: PartSample) => number): Point[] =>
      used.flatMap(({ hours, parts }) => (parts[part] ? [[hours, read(parts[part])]] : []));
    const resident = list(({ residentMb }) => residentMb);
    const proportional = list(({ proportionalMb }) => proportionalMb);
    const { perHour, interval } = fitSlope(proportional);
    const processor = (last.parts[part]?.processorMs ?? 0) - (first.parts[part]?.processorMs ?? 0);
    const share = processor / ((last.hours - first.hours) * 36_000);
    return `  ${part}: ${median(resident)} MB resident, ${median(proportional)} MB proportional, ${perHour.toFixed(2)} MB/h (${interval.map((end) => end.toFixed(2)).join(" to ")}), ${share.toFixed(1)} % of a core; handles ${count(first.parts[part])} and at the end ${count(last.parts[part])}`;
  });
  const [before, after] = [stored.find(({ hours }) => hours >= skippedHours), stored.at(-1)];
  const files =
    before && after
      ? [
          `  files: ${before.files} and at the end ${after.files}; ${before.fileMb.toFixed(0)} MB and at the end ${after.fileMb.toFixed(0)} MB`,
        ]
      : [];
  return [
    "growth by part, after the warm-up:",
    ...lines,
    ...files,
    ...describeTables(before?.tables ?? [], after?.tables ?? []),
  ];
}

/** Tables with dead rows or growth. */
function describeTables(before: readonly Table[], after: readonly Table[]): string[] {
  const shown = after
    .map((table) => ({ table, was: before.find(({ name }) => name === table.name) }))
    .filter(({ table, was }) => table.deadRows >= deadRowsMin || table.bytes - (was?.bytes ?? 0) >= bytesMin)
    .toSorted((a, b) => b.table.bytes - a.table.bytes);
  return shown.map(
    ({ table, was }) =>
      `  ${table.name}: ${table.rows} rows, ${table.deadRows} dead, ${mb(was?.bytes ?? 0)} MB and at the end ${mb(table.bytes)} MB (indexes ${mb(table.indexBytes)}), ${table.updates} updates (${Math.round((100 * table.hotUpdates) / Math.max(1, table.updates))} % HOT), ${table.deletes} deletes, ${table.vacuums} vacuums`,
  );
}

const count = (part: PartSample | undefined): string =>
  Object.entries(part?.handles ?? {})
    .toSorted()
    .map(([kind, handles]) => `${handles} ${kind}`)
    .join(" ");

function median(points: readonly Point[]): string {
  const sorted = points.map(([, value]) => value).toSorted((a, b) => a - b);
  return (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(0);
}
