import { catchUpLane, forgetForeignNonces } from "@cardkeep/db/queries/chain/relay/lanes";
import { insertDiscrepancies, type Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { WorkerContext } from "../../core/context.ts";
import { readSharedTime } from "../../core/databaseTime.ts";
import { listLaneAddresses } from "../../chain/relay/compareNonces.ts";
import { countMined } from "../../chain/relay/countMined.ts";
import { showsNoncesAlone } from "./detectRestore.ts";
import { linkTransactions } from "./linkTransactions.ts";
import { findFromBlock } from "./reconcileEntries.ts";

/**
 * Gives the transactions of our keys their rows as far as their results are known, and brings each lane to the chain's nonce.
 *
 * After a restore, nonces without a row are those of lost rows, not of another program. Where nothing but nonces showed the restore,
 * they count as another program's until their transactions get rows.
 */
export async function reconcileTransactions(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const fromBlock = await findFromBlock(ctx, reconciliation);
  if (fromBlock !== null) await linkTransactions(ctx, fromBlock);
  if (reconciliation.reason !== "restored") return;
  for (const address of listLaneAddresses(ctx)) await bringToChain(ctx, address, reconciliation);
}

async function bringToChain(ctx: WorkerContext, relayer: Address, reconciliation: Reconciliation): Promise<void> {
  const { id, startedAt } = reconciliation;
  const count = await countMined(ctx, relayer);
  await ctx.commit(async ({ tx, now }) => {
    // The reconciliation began by this clock too.
    await catchUpLane(tx, relayer, count, await readSharedTime(ctx, tx));
    if (showsNoncesAlone(reconciliation)) return;
    const lost = await forgetForeignNonces(tx, relayer, startedAt);
    if (lost === 0n) return;
    const text = `Key ${relayer} sent ${lost} transactions whose rows were lost`;
    const action = "Signs on behind them; each gets its row once its result is known";
    await insertDiscrepancies(tx, [{ kind: "nonce", name: `${relayer}:${id}`, text, action }], now);
  });
}
