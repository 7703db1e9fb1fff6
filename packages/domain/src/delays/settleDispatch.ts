/** The end of an operation by the chain's evidence: executed in any transaction, skipped, or still in the queue. */
import type { ChainReceipt } from "@cardkeep/chain/log";
import { type DelayTransaction, findDelay } from "@cardkeep/db/queries/delays/delays";
import type { RelayTransaction } from "@cardkeep/db/queries/relay/transactions";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type WorkerContext, writeNothing, type WriteStep } from "../context.ts";
import { findEnd } from "./chainHistory.ts";
import { failDelay } from "./failDelay.ts";
import { settleExecution } from "./settleExecution.ts";

const againMs = 1_000;

/**
 * Settles our mined dispatch or skip. The chain is read again, and its evidence alone decides.
 *
 * A dispatch that reverted lost a race or met a changed balance; the operation's own job finds out which.
 */
export async function settleDispatch(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  _receipt: ChainReceipt,
): Promise<WriteStep> {
  const item = await findDelay(ctx.db, transaction.subjectId);
  return item ? settleEnd(ctx, item) : writeNothing;
}

/** Ends an operation that has left the queue as EXECUTED or FAILED; one still in it gets another `delay.dispatch`. */
export async function settleEnd(ctx: WorkerContext, item: DelayTransaction): Promise<WriteStep> {
  const end = await findEnd(ctx, item);
  if (end?.executedHash) return settleExecution(ctx, item, { executedHash: end.executedHash, block: end.block });
  return async (work) => {
    if (!end) return enqueue(work.tx, "delay.dispatch", { delayId: item.id, requestId: item.requestId }, againMs);
    return failDelay(work, item, item.reason ?? "The operation expired before it could be executed", end.block);
  };
}
