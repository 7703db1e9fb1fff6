/** Counts a server's answers to the card issuer in memory: a decision waits for no further statement. */
import type { DecisionCount } from "@cardkeep/db/queries/partners/hours";
import { decisionMsBounds } from "@cardkeep/db/schema/partners/hours";

/** The decisions of one process that are not in the database yet. */
export interface DecisionCounts {
  /** Counts a decision: `approved`, or the code of the decline. It asks nothing of the database. */
  record(reason: string, seconds: number): void;
  /** Takes what was counted since the last call. */
  take(): DecisionCount[];
  /** Gives back what could not be written. */
  restore(counts: readonly DecisionCount[]): void;
}

export function createDecisionCounts(): DecisionCounts {
  const counts = new Map<string, DecisionCount>();
  const add = ({ reason, msMax, count }: DecisionCount): void => {
    const key = `${reason} ${msMax}`;
    counts.set(key, { reason, msMax, count: count + (counts.get(key)?.count ?? 0) });
  };
  const longest = decisionMsBounds[decisionMsBounds.length - 1] ?? 0;
  return {
    record: (reason, seconds) =>
      add({ reason, msMax: decisionMsBounds.find((bound) => seconds * 1000 <= bound) ?? longest, count: 1 }),
    take: () => {
      const taken = [...counts.values()];
      counts.clear();
      return taken;
    },
    restore: (given) => given.forEach(add),
  };
}
