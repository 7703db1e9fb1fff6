/** The end of an operation by the chain's evidence: executed in any transaction, skipped, or still in the queue. */
import { hasExecutionSuccess } from "@cardkeep/chain/delayLogs";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { type DelayTransaction, findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { countReverted, isBefore } from "../../chain/relay/countReverted.ts";
import { foreignEntryGasFree } from "../../chain/relay/gasLimits.ts";
import { type End, findEnd } from "./chainHistory.ts";
import { failDelay } from "./failDelay.ts";
import { isFinal } from "./queuedOperation.ts";
import { settleExecution } from "./settleExecution.ts";
import { inTurn, settleOr } from "./settleOr.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

const againMs = 1_000;
/** How often an operation at most is looked at whose end no log shows: each look may read the account's whole history. */
const unseenMsMax = 60_000;
const unseenReason = "It left the queue, and no log shows that it ran";

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
  const isRefused = receipt.status === "reverted" && transaction.purpose !== "delay.skip";
  const isDear = transaction.purpose === "delay.unblock" && receipt.gasUsed > foreignEntryGasFree;
  const count = isRefused || isDear ? countReverted(item, { transaction, receipt, sharers: 1 }) : writeNothing;
  return settleOr(
    async () => {
      if (isOwn) return settleExecution(ctx, item, own);
      if (!isRefused) return inTurn(count, await settleEnd(ctx, item));
      const end = item.executedHash === null ? await findEnd(ctx, item) : null;
      const settled = await buildEnd(ctx, item, end, lookAgain(item));
      const isOvertaken = transaction.purpose === "delay.dispatch" && (await hasEndedBefore(ctx, item, end, receipt));
      return isOvertaken ? settled : inTurn(count, settled);
    },
    inTurn(count, lookAgain(item)),
  );
}

/** Whether another sender executed or skipped an operation before our transaction. */
async function hasEndedBefore(
  ctx: WorkerContext,
  item: DelayTransaction,
  end: End | null,
  receipt: ChainReceipt,
): Promise<boolean> {
  const transactionHash = item.executedHash ?? end?.executedHash ?? null;
  const blockNumber = item.executedHash === null ? end?.block.blockNumber : item.endedBlock;
  if (transactionHash === null || blockNumber == null) return end !== null || isFinal(item);
  return isBefore(ctx, { transactionHash, blockNumber }, receipt);
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
  ({ id: delayId, requestId }: DelayTransaction): WriteStep =>
  ({ tx }) =>
    enqueue(tx, "delay.dispatch", { delayId, requestId }, againMs);

/** The same for one that left the queue, the less often the longer it could have run. */
const lookLater =
  ({ id: delayId, requestId, readyAt }: DelayTransaction): WriteStep =>
  ({ tx, now }) => {
    const ageMs = readyAt === null ? 0 : now.getTime() - readyAt.getTime();
    const delayMs = spaceLooks(ageMs, { minMs: againMs, maxMs: unseenMsMax, perAge: 100 });
    return enqueue(tx, "delay.dispatch", { delayId, requestId }, delayMs);
  };

/** Ends an operation that has left the queue as EXECUTED or FAILED; one still in it gets another `delay.dispatch`. */
export const settleEnd = async (ctx: WorkerContext, item: DelayTransaction): Promise<WriteStep> =>
  buildEnd(ctx, item, await findEnd(ctx, item), lookLater(item));

async function buildEnd(
  ctx: WorkerContext,
  item: DelayTransaction,
  end: End | null,
  later: WriteStep,
): Promise<WriteStep> {
  if (end?.executedHash) return settleExecution(ctx, item, { executedHash: end.executedHash, block: end.block });
  if (!end) return later;
  const reason = end.isUnseen ? unseenReason : (item.reason ?? "The operation expired before it could be executed");
  return (work) => failDelay(work, item, reason, end.block);
}
