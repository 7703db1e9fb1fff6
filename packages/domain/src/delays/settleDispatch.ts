/** The end of an operation by the chain's evidence: executed in any transaction, skipped, or still in the queue. */
import { hasExecutionSuccess } from "@cardkeep/chain/delay";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { type DelayTransaction, findDelay } from "@cardkeep/db/queries/delays/delays";
import type { RelayTransaction } from "@cardkeep/db/queries/relay/transactions";
import { findSafe } from "@cardkeep/db/queries/safes";
import { countSettled } from "@cardkeep/db/queries/relay/bySubject";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type WorkerContext, writeNothing, type WriteStep } from "../context.ts";
import { findEnd } from "./chainHistory.ts";
import { failDelay } from "./failDelay.ts";
import { settleExecution } from "./settleExecution.ts";
import { settleOr } from "./settleOr.ts";
import { dispatchPurposes } from "./signDispatch.ts";

const againMs = 1_000;
const retryMsMin = 10_000;
const retryMsMax = 300_000;
/** How much longer the pause is after each further try that a block refused. */
const pauseGrowth = 4;

/**
 * Settles our mined dispatch or skip, by its own receipt where that is enough, else by the chain's history.
 *
 * A dispatch that reverted lost a race or met a changed balance; the operation's own job finds out which.
 */
export async function settleDispatch(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const item = await findDelay(ctx.db, transaction.subjectId);
  if (!item) return writeNothing;
  const isOwn = transaction.purpose === "delay.dispatch" && (await isExecutedBy(ctx, item, receipt));
  const own = { executedHash: receipt.transactionHash, block: receipt };
  const delayMs = receipt.status === "reverted" ? await computePause(ctx, item) : againMs;
  return settleOr(
    () => (isOwn ? settleExecution(ctx, item, own) : settleEnd(ctx, item, delayMs)),
    lookAgain(item, delayMs),
  );
}

/** A head that behaves in every estimate and burns the gas of every block is tried less and less often until it expires. */
async function computePause({ db }: WorkerContext, { id }: DelayTransaction): Promise<number> {
  const earlier = await countSettled(db, id, { purposes: dispatchPurposes, statuses: ["REVERTED"] });
  return earlier === 0 ? againMs : Math.min(retryMsMin * pauseGrowth ** (earlier - 1), retryMsMax);
}

/**
 * Whether our dispatch executed this very operation. It was signed when the operation was the head, and ran an equal call: it
 * is this one while no later entry has left the queue.
 */
async function isExecutedBy(ctx: WorkerContext, item: DelayTransaction, receipt: ChainReceipt): Promise<boolean> {
  const safe = receipt.status === "success" ? await findSafe(ctx.db, item.safeId) : null;
  const accounts = safe && { safe: safe.address, delay: item.delayAddress };
  if (!accounts || item.queueNonce === null || !hasExecutionSuccess(receipt.logs, accounts)) return false;
  return (await ctx.chain.getDelayState(item.delayAddress)).txNonce === item.queueNonce + 1n;
}

const lookAgain =
  ({ id: delayId, requestId }: DelayTransaction, delayMs = againMs): WriteStep =>
  ({ tx }) =>
    enqueue(tx, "delay.dispatch", { delayId, requestId }, delayMs);

/** Ends an operation that has left the queue as EXECUTED or FAILED; one still in it gets another `delay.dispatch`. */
export async function settleEnd(ctx: WorkerContext, item: DelayTransaction, delayMs = againMs): Promise<WriteStep> {
  const end = await findEnd(ctx, item);
  if (end?.executedHash) return settleExecution(ctx, item, { executedHash: end.executedHash, block: end.block });
  if (!end) return lookAgain(item, delayMs);
  return (work) => failDelay(work, item, item.reason ?? "The operation expired before it could be executed", end.block);
}
