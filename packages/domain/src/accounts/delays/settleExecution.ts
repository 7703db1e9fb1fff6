/** The end of an executed operation: its row, its event, and the job of the operation behind it. */
import { parseRefill } from "@cardkeep/chain/allowance";
import { findOwnerChange } from "@cardkeep/chain/owners";
import { tokens, toWholeUnits } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { type DelayTransaction, moveDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { findSafe, hasCurrency, lockSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Work, WorkerContext, WriteStep } from "../../core/context.ts";
import { enqueueBalanceChecks } from "../balances/publishBalance.ts";
import { publish } from "../../core/publish.ts";
import { checkUpTo } from "../integrity/checkSafe.ts";
import { findReplacedLimit } from "./chainHistory.ts";
import { buildDelayedTransaction } from "./delayedTransaction.ts";
import { wakeNext } from "./failDelay.ts";

/** Reads what the event carries from the chain, and returns the writes that end the operation as EXECUTED. */
export async function settleExecution(
  ctx: WorkerContext,
  item: DelayTransaction,
  { executedHash, block }: { executedHash: Hex; block: SeenBlock },
): Promise<WriteStep> {
  const safe = await findSafe(ctx.db, item.safeId);
  if (!safe) throw new Error(`Safe ${item.safeId} has no row`);
  const publishEnd = await prepareEvent(ctx, safe, item, { executedHash, block });
  const checkEntries = item.queueNonce === null ? null : await checkUpTo(ctx, safe, item.queueNonce);
  return async (work) => {
    // After a restore, many operations of one Safe end at once, and each records the same entries.
    await lockSafe(work.tx, item.safeId);
    const executed = await moveDelay(work.tx, item.id, "EXECUTED", {
      executedHash,
      endedBlock: block.blockNumber,
      reason: null,
      updatedAt: work.now,
    });
    if (!executed) return;
    restOn(work, block);
    await checkEntries?.(work);
    await publishEnd({ ...work, requestId: executed.requestId }, executed);
    await wakeNext(work, executed);
  };
}

type PublishEnd = (work: Work, executed: DelayTransaction) => Promise<void>;

async function prepareEvent(
  ctx: WorkerContext,
  safe: Safe,
  item: DelayTransaction,
  { executedHash, block }: { executedHash: Hex; block: SeenBlock },
): Promise<PublishEnd> {
  const { userId } = item;
  if (item.kind === "withdrawal") {
    return async (work, executed) => {
      await enqueueBalanceChecks(work, { ids: [safe.id] });
      const data = buildDelayedTransaction(executed, safe.address, ctx.policy.transactionDataFormat);
      return publish(work, "account.withdrawal.completed", userId, data);
    };
  }
  if (item.kind === "limit") {
    if (!hasCurrency(safe)) throw new Error(`Safe ${safe.id} has no currency`);
    const refill = parseRefill(item.data) ?? 0n;
    const change = { transactionHash: executedHash, block: block.blockNumber, refill };
    const replaced = await findReplacedLimit(ctx, safe, change);
    const token = tokens[safe.tokenSymbol];
    const oldLimit = toWholeUnits(replaced ?? safe.dailyLimit, token);
    return (work) =>
      publish(work, "account.limit.changed", userId, { userId, oldLimit, newLimit: toWholeUnits(refill, token) });
  }
  const change = findOwnerChange(item, item.delayAddress);
  if (!change) throw new Error(`Operation ${item.id} changes no owner`);
  const safeAddress = safe.address;
  return (work) =>
    change.kind === "add"
      ? publish(work, "safe.owner.added", userId, {
          userId,
          owner: item.signer,
          safeAddress,
          addedOwner: change.owner,
        })
      : publish(work, "safe.owner.removed", userId, { userId, safeAddress, removedOwner: change.owner });
}
