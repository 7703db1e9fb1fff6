/** The operator's side of a reconciliation: begins one, waits for it, and reports what was found. */
import { fail } from "@cardkeep/contract/errors";
import {
  closeDiscrepancy,
  type Discrepancy,
  findNewestReconciliation,
  findReconciliation,
  listDiscrepancies,
  type Reconciliation,
} from "@cardkeep/db/queries/reconciliations";
import { findBlockSince } from "../chain/findBlockSince.ts";
import type { OperatorContext } from "../context.ts";
import type { Services } from "../services.ts";
import { beginReconciliation } from "./beginReconciliation.ts";

/** What chain and partners knew that no row knew. */
export interface ReconciliationReport {
  /** Null before the first. */
  reconciliation: Reconciliation | null;
  /** Open ones first, then the newest. */
  discrepancies: Discrepancy[];
}

const pollMs = 200;
const dayMs = 86_400_000;

/** Begins a reconciliation over the last `days`, and waits at most `waitMs` for its end. @throws ChainUnavailable */
export async function requestReconciliation(
  ctx: OperatorContext,
  { days, waitMs, limit }: { days: number; waitMs: number; limit: number },
): Promise<ReconciliationReport> {
  const since = new Date((await ctx.clock.now(ctx.db)).getTime() - days * dayMs);
  const { fromBlock } = await findBlockSince(ctx, since);
  const id = await ctx.commit((work) =>
    beginReconciliation(ctx, work, { reason: "operator", evidence: null, fromBlock }),
  );
  const until = performance.now() + waitMs;
  while (performance.now() < until && (await findReconciliation(ctx.db, id))?.endedAt === null) await Bun.sleep(pollMs);
  return reportReconciliation(ctx, { limit });
}

/** What the reconciliations found. */
export async function reportReconciliation(
  { db }: Pick<Services, "db">,
  { limit }: { limit: number },
): Promise<ReconciliationReport> {
  return {
    reconciliation: await findNewestReconciliation(db),
    discrepancies: await listDiscrepancies(db, limit),
  };
}

/** Records that the operator settled an open discrepancy. @throws discrepancies.not_found */
export async function acceptDiscrepancy(ctx: OperatorContext, { id }: { id: string }): Promise<Discrepancy> {
  const closed = await ctx.commit(({ tx, now }) =>
    closeDiscrepancy(tx, id, { action: "The operator settled it", resolvedAt: now }),
  );
  return closed ?? fail("discrepancies.not_found");
}
