/** Guards against a database that went back: until its rows are restored, no job moves card money by what the rows say. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { readDatabaseIdentity } from "@cardkeep/db/queries/databaseIdentity";
import { findNewestReconciliation, type Reconciliation } from "@cardkeep/db/queries/reconciliations";
import type { Context } from "../context.ts";

/** Step of a reconciliation after which every transfer of card money has its row. */
export const transfersStep = "transfers";

/** The rows of transfers may be missing, so the work has to begin again later. */
class RowsMissing extends ChainUnavailable {
  override readonly name = "RowsMissing";
}

/** Whether rows may be missing: a reconciliation is under way, or the database went back and none has begun yet. */
export const mayLackRows = (ctx: Pick<Context, "db">): Promise<boolean> => isLacking(ctx, () => true);

/**
 * A transfer of card money is named by its place in its payment. Where the database lost some, the next one would take a
 * place that is taken on chain, with another amount.
 *
 * @throws RowsMissing until every transfer has its row
 */
export async function requireTransfers(ctx: Pick<Context, "db">): Promise<void> {
  const isOpen = ({ reason, steps }: Reconciliation) => reason === "restored" && !steps.includes(transfersStep);
  if (await isLacking(ctx, isOpen)) throw new RowsMissing("The database went back: its rows are restored first");
}

async function isLacking({ db }: Pick<Context, "db">, isOpen: (newest: Reconciliation) => boolean): Promise<boolean> {
  const [newest, { identity }] = await Promise.all([findNewestReconciliation(db), readDatabaseIdentity(db)]);
  if (newest === null) return false;
  return newest.databaseIdentity !== identity || (newest.endedAt === null && isOpen(newest));
}
