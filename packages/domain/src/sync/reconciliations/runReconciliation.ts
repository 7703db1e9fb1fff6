/** Carries a reconciliation out, step by step. */
import {
  addReconciledStep,
  endReconciliation,
  findReconciliation,
  type Reconciliation,
} from "@cardkeep/db/queries/sync/reconciliations";
import { type ReconciledStep, reconciledSteps } from "../../chain/guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { reconcileCards } from "./reconcileCards.ts";
import { reconcileEntries } from "./reconcileEntries.ts";
import { reconcileOrders } from "./reconcileOrders.ts";
import { reconcileSafes } from "./reconcileSafes.ts";
import { reconcileThreads } from "./reconcileThreads.ts";
import { reconcileTransfers } from "./reconcileTransfers.ts";
import { reconcileTransactions } from "./reconcileTransactions.ts";
import { reconcileVerdicts } from "./reconcileVerdicts.ts";

type Step = (ctx: WorkerContext, reconciliation: Reconciliation) => Promise<void>;

/** In their order: a payment needs its card, and its transfers come before it is compared with them. */
const steps: Readonly<Record<ReconciledStep, Step>> = {
  entries: reconcileEntries,
  cards: reconcileCards,
  transfers: reconcileTransfers,
  threads: reconcileThreads,
  orders: reconcileOrders,
  verdicts: reconcileVerdicts,
  safes: reconcileSafes,
  transactions: reconcileTransactions,
};

/**
 * Runs the steps that have not succeeded yet. A step that fails holds up no other one.
 *
 * @throws the first failure, after the last step; the job is run again
 */
export async function runReconciliation(
  ctx: WorkerContext,
  { reconciliationId }: { reconciliationId: string },
): Promise<void> {
  const reconciliation = await findReconciliation(ctx.db, reconciliationId);
  if (!reconciliation || reconciliation.endedAt !== null) return;
  const failures: unknown[] = [];
  for (const name of reconciledSteps) {
    if (reconciliation.steps.includes(name)) continue;
    try {
      await steps[name](ctx, reconciliation);
      await ctx.commit(({ tx }) => addReconciledStep(tx, reconciliationId, name));
    } catch (error) {
      ctx.log.warn({ err: error, reconciliationId, step: name }, "a step of the reconciliation failed");
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  await ctx.commit(({ tx, now }) => endReconciliation(tx, reconciliationId, now));
}
