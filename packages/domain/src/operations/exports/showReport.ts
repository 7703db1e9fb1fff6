import { fail } from "@cardkeep/contract/core/errors";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { isDay } from "../../core/calendar.ts";
import type { Services } from "../../core/services.ts";
import { buildSetting, type ExportKind } from "./exportKind.ts";
import { reports } from "./reports.ts";

export type ReportName = keyof typeof reports;
export const reportNames = keysOf(reports);

/** More rows are exported, not shown. */
export const reportRowsMax = 500;

/** A report with its first rows, one more than are shown where there are others, and which of their columns are amounts. @throws request.invalid for what is no day, or a last day before the first one */
export async function showReport(
  ctx: Pick<Services, "db" | "clock" | "lists" | "policy">,
  { name, from, to }: { name: ReportName; from: string | null; to: string | null },
) {
  for (const day of [from, to])
    if (day !== null && !isDay(day)) fail("request.invalid", { text: `${day} is no day, such as 2026-11-30` });
  if (from !== null && to !== null && from > to) fail("request.invalid", { text: "The last day is before the first" });
  const { brief, amounts = [], read }: ExportKind = reports[name];
  const setting = buildSetting(ctx.policy, { from, to, now: await ctx.clock.now(ctx.db) });
  const records = await ctx.lists.read((on) =>
    read(on, { after: null, below: null, limit: reportRowsMax + 1 }, setting),
  );
  return { brief, amounts, rows: records.slice(0, reportRowsMax + 1).map(({ values }) => values) };
}
