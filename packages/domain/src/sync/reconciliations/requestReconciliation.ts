/** The operator's side of a reconciliation: begins one, waits for it, and reports what was found. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import {
  closeDiscrepancy,
  type Discrepancy,
  findNewestReconciliation,
  findReconciliation,
  listDiscrepancies,
  type Reconciliation,
} from "@cardkeep/db/queries/sync/reconciliations";
import { findBlockSince } from "../../chain/guards/findBlockSince.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { beginReconciliation } from "./beginReconciliation.ts";

/** What chain and partners knew that no row knew. */
export interface ReconciliationReport {
  /** Null before the first. */
  reconciliation: Reconciliation | null;
  /** Open ones first, then the newest. */
  discrepancies: Discrepancy[];
}

const pollMs = 200;

/**
 * Begins a reconciliation over the last `days` at least, and waits at most `waitMs` for its end. The report is of this one, and
 * says nothing of it before its `endedAt`. @throws ChainUnavailable
 */
export async function requestReconciliation(
  ctx: OperatorContext,
  { days, waitMs, limit }: { days: number; waitMs: number; limit: number },
): Promise<ReconciliationReport> {
  const since = new Date((await ctx.clock.now(ctx.db)).getTime() - days * dayMs);
  const { fromBlock } = await findBlockSince(ctx, since);
  const id = await ctx.act("reconcile.run", async (work) => {
    const output = await beginReconciliation(ctx, work, { reason: "operator", evidence: null, fromBlock });
    // One that is under way may look further back.
    const first = (await findReconciliation(work.tx, output))?.fromBlock ?? null;
    return {
      output,
      subject: { kind: "reconciliation", id: output },
      before: null,
      after: { days, fromBlock: first === null ? null : String(first) },
    };
  });
  const until = performance.now() + waitMs;
  let reconciliation = await findReconciliation(ctx.db, id);
  while (performance.now() < until && reconciliation?.endedAt === null) {
    await Bun.sleep(pollMs);
    reconciliation = await findReconciliation(ctx.db, id);
  }
  return { reconciliation, discrepancies: await listDiscrepancies(ctx.db, limit) };
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
  return ctx.act("reconcile.accept", async ({ tx, now }) => {
    const done = { action: "The operator settled it", resolvedAt: now };
    const output = (await closeDiscrepancy(tx, id, done)) ?? fail("discrepancies.not_found");
    return { output, subject: { kind: "discrepancy", id }, before: { action: null }, after: { action: done.action } };
  });
}
