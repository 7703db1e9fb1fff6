/** Guards against a database that went back: until its rows are restored, no job moves card money by what the rows say. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Executor } from "@cardkeep/db/client";
import { lacksRows, listOpenNames } from "@cardkeep/db/queries/sync/reconciliations";
import type { Context } from "../../core/context.ts";

/** The steps of a reconciliation, in their order. */
export const reconciledSteps = [
  "entries",
  "cards",
  "transfers",
  "threads",
  "orders",
  "verdicts",
  "safes",
  "transactions",
] as const;
export type ReconciledStep = (typeof reconciledSteps)[number];

/** Rows may be missing, so the work has to begin again later. */
class RowsMissing extends ChainUnavailable {
  override readonly name = "RowsMissing";
}

/** Whether the database went back, and the step that restores the rows in question has not succeeded yet; null for any step. */
export const mayLackRows = ({ db }: { db: Executor }, step: ReconciledStep | null): Promise<boolean> =>
  lacksRows(db, step);

/** @throws RowsMissing while the rows of a step, or of any step, may be missing */
export async function requireRows(ctx: Pick<Context, "db">, step: ReconciledStep | null): Promise<void> {
  if (await mayLackRows(ctx, step)) throw new RowsMissing("The database went back: its rows are restored first");
}

/**
 * A transfer of card money is named by its place in its payment. Where the database lost some, the next one would take a
 * place that is taken on chain, with another amount. A payment whose transfers cannot be restored waits for the operator.
 *
 * @throws RowsMissing until every transfer has its row
 */
export async function requireTransfers(
  ctx: Pick<Context, "db">,
  findThread: () => Promise<string | undefined> | string,
): Promise<void> {
  const [, held] = await Promise.all([requireRows(ctx, "transfers"), listOpenNames(ctx.db, "transfer")]);
  if (held.length > 0 && held.includes((await findThread()) ?? "")) {
    throw new RowsMissing("The transfers of this payment cannot be restored: see `cardkeep reconcile --report`");
  }
}
