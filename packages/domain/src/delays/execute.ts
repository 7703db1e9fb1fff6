import type { Hex } from "@cardkeep/contract/primitives";
import { enqueue } from "@cardkeep/db/jobs";
import { type DelayTransaction, findDelayByQueueNonce, moveDelay } from "@cardkeep/db/queries/delays";
import type { Work, WorkerContext } from "../context.ts";
import { publish } from "../events.ts";
import { getDelayedTransaction } from "./resource.ts";

/** Ends an operation as EXECUTED by the transaction that proves it, tells it, and wakes the one behind it. */
export async function markExecuted(ctx: WorkerContext, work: Work, item: DelayTransaction, executedHash: Hex): Promise<void> {
  const executed = await moveDelay(work.tx, item.id, ["WAITING", "EXECUTING"], {
    status: "EXECUTED",
    executedHash,
    reason: null,
    updatedAt: work.now,
  });
  if (!executed) return;
  if (executed.kind === "withdrawal") {
    const data = await getDelayedTransaction(work.tx, executed, ctx.rules.transactionDataFormat);
    await publish(work, "account.withdrawal.completed", executed.userId, data);
  }
  await wakeNext(work, executed);
}

/** Has the operation behind this one looked at now, rather than when it last planned to. */
async function wakeNext({ tx, now }: Work, { delayAddress, queueNonce }: DelayTransaction): Promise<void> {
  const next = queueNonce === null ? null : await findDelayByQueueNonce(tx, delayAddress, queueNonce + 1n);
  if (next?.readyAt) await enqueue(tx, "delay.dispatch", { delayId: next.id }, next.readyAt.getTime() - now.getTime());
}
