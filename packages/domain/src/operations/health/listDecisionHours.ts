/** Decisions about card authorizations by hour, as the servers counted them, with the declines of the issuer's own. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { type DecisionCount, listDecisionCounts } from "@cardkeep/db/queries/partners/hours";
import { issuerMsMax } from "@cardkeep/db/schema/partners/hours";
import type { Services } from "../../core/services.ts";

export interface DecisionHour {
  readonly hour: Date;
  readonly approved: number;
  readonly declined: number;
  /** 99 of 100 decisions took no longer; null without decisions. */
  readonly p99Ms: number | null;
}

export interface Decisions {
  /** Every hour, also those without decisions, oldest first. The last one is under way. */
  readonly hours: readonly DecisionHour[];
  /** The declines by their code, most frequent first. */
  readonly declines: readonly { readonly reason: string; readonly count: number }[];
  readonly approved: number;
  readonly declined: number;
  readonly p99Ms: number | null;
}

const sumOf = (counts: readonly DecisionCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

/** The bound under which 99 of 100 decisions of ours are. */
function findP99(counts: readonly DecisionCount[]): number | null {
  const ours = counts.filter(({ msMax }) => msMax !== issuerMsMax);
  const wanted = Math.ceil(sumOf(ours) * 0.99);
  let known = 0;
  for (const { msMax, count } of ours.toSorted((a, b) => a.msMax - b.msMax)) {
    known += count;
    if (known >= wanted) return msMax;
  }
  return null;
}

const summarise = (counts: readonly DecisionCount[]): Omit<DecisionHour, "hour"> => {
  const approved = sumOf(counts.filter(({ reason }) => reason === "approved"));
  return { approved, declined: sumOf(counts) - approved, p99Ms: findP99(counts) };
};

/** The last `count` hours, the present one among them. */
export async function listDecisionHours(
  { db, clock }: Pick<Services, "db" | "clock">,
  { count }: { count: number },
): Promise<Decisions> {
  const now = await clock.now(db);
  const firstMs = Math.floor(now.getTime() / hourMs) * hourMs - (count - 1) * hourMs;
  const counts = await listDecisionCounts(db, new Date(firstMs));
  const byHour = Map.groupBy(counts, ({ hour }) => hour.getTime());
  const byReason = Map.groupBy(
    counts.filter(({ reason }) => reason !== "approved"),
    ({ reason }) => reason,
  );
  return {
    hours: Array.from({ length: count }, (_, index) => {
      const hourAt = firstMs + index * hourMs;
      return { hour: new Date(hourAt), ...summarise(byHour.get(hourAt) ?? []) };
    }),
    declines: [...byReason]
      .map(([reason, rows]) => ({ reason, count: sumOf(rows) }))
      .toSorted((a, b) => b.count - a.count),
    ...summarise(counts),
  };
}
