import { countOpenDiscrepancies, findNewestReconciliation } from "@cardkeep/db/queries/reconciliations";
import type { Services } from "../services.ts";
import { type Finding, finding } from "./finding.ts";

/** Nothing is open of what chain and partners know and no row does, and no reconciliation is under way. */
export async function checkReconciliation({ db }: Pick<Services, "db">): Promise<Finding> {
  const [newest, open] = await Promise.all([findNewestReconciliation(db), countOpenDiscrepancies(db)]);
  if (newest !== null && newest.endedAt === null) {
    const cause = newest.evidence === null ? newest.reason : newest.evidence;
    return finding("reconciliation", "warning", `Under way (${cause}); see the worker's log if it lasts`);
  }
  if (open.length === 0) return finding("reconciliation", "ok", "Chain and partners know nothing that no row knows");
  const counts = open.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  const text = `Chain or partners know what no row knows: ${counts}; see \`bun run cardkeep reconcile --report\``;
  return finding("reconciliation", "warning", text);
}
