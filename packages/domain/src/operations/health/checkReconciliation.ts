import { dayMs } from "@cardkeep/contract/core/durations";
import { findLostInterval } from "@cardkeep/db/queries/partners/deliveries/restoredFeed";
import { countOpenDiscrepancies, findOpenReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { Services } from "../../core/services.ts";
import { formatInstant } from "../../core/wording.ts";
import { type Finding, finding } from "./finding.ts";

const shownMs = 7 * dayMs;

/** No partner's numbers of events have a gap that a restore of the last week left. */
export async function checkLostEvents({ db, clock }: Pick<Services, "db" | "clock">): Promise<Finding> {
  const lost = await findLostInterval(db, new Date((await clock.now(db)).getTime() - shownMs));
  if (lost === null) return finding("events", "ok", "No number is missing in the feeds of the last 7 days");
  const since = lost.since === null ? "" : ` after ${formatInstant(lost.since)} and`;
  const text = `The database went back: events${since} before ${formatInstant(lost.until)} may be lost. The feeds of ${lost.partners} partners name the gap`;
  return finding("events", "warning", `${text}. Ask them to read their users' state again`);
}

/** Nothing is open of what chain and partners know and no row does, and no reconciliation is under way. */
export async function checkReconciliation({ db }: Pick<Services, "db">): Promise<Finding> {
  const [running, open] = await Promise.all([findOpenReconciliation(db), countOpenDiscrepancies(db)]);
  if (running !== null) {
    const cause = running.evidence ?? running.reason;
    return finding("reconciliation", "warning", `Under way (${cause}); see the worker's log if it lasts`);
  }
  if (open.length === 0) return finding("reconciliation", "ok", "Chain and partners know nothing that no row knows");
  const counts = open.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  const text = `Chain or partners know what no row knows: ${counts}; see \`bun run cardkeep reconcile --report\``;
  return finding("reconciliation", "warning", text);
}
