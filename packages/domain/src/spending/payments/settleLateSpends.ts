/** Spends that ran after they had failed: the signed message of a failed one stays valid, and every account may send it. */
import { isFinalState } from "@cardkeep/contract/core/machine";
import { transferMachine } from "@cardkeep/contract/spending/spending";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { findTransfer, listUnpaidSpends } from "@cardkeep/db/queries/spending/transfers";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import type { WorkerContext } from "../../core/context.ts";
import { getCurrencySafe } from "../../core/safeAccount.ts";
import { completeTransfer, rollBackTransfer } from "./endTransfer.ts";
import { findPaidSpend } from "./settleSpend.ts";

/** By then a spend under way has read the chain again, and ended. */
const againMs = 30_000;

/**
 * Completes the failed spends of a Safe that have run after all. What was collected for them meanwhile is returned.
 *
 * A spend that is under way settles itself. It may end as failed by what it read of an earlier block, so it is looked at again.
 *
 * @throws ChainUnavailable while the node lags behind what was seen: no other job looks for it
 */
export async function settleLateSpends(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const { number } = await requireFollowed(ctx);
  const safe = await getCurrencySafe(ctx, safeId);
  let isAwaited = false;
  for (const spend of await listUnpaidSpends(ctx.db, safeId)) {
    const { id, to: roles, messageHash } = spend;
    const message = { delay: roles, signer: safe.spender, messageHash };
    if (!(await ctx.chain.isMessageConsumed(message, number))) continue;
    if (!isFinalState(transferMachine, spend.status)) isAwaited = true;
    const paid = await findPaidSpend(ctx, safe, spend);
    if (!paid) continue;
    await ctx.commit(async (work) => {
      // A Safe's transfers end behind its lock.
      await lockSafe(work.tx, safeId);
      const failed = await findTransfer(work.tx, id);
      if (failed?.status !== "FAILED") return;
      await rollBackTransfer(work, failed);
      await completeTransfer(ctx, work, failed, paid);
      ctx.log.warn({ transferId: id, safeId, hash: paid.hash }, "a spend ran after it had failed");
    });
  }
  if (isAwaited) await enqueueIfNone(ctx.db, "card.lateSpends", { safeId, requestId: ctx.requestId }, againMs);
}
