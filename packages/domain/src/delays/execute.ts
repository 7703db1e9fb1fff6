import type { Hex } from "@cardkeep/contract/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain";
import { type DelayTransaction, moveDelay } from "@cardkeep/db/queries/delays";
import { restOn } from "../chain/fence.ts";
import type { Work, WorkerContext } from "../context.ts";
import { publish } from "../events.ts";
import { getDelayedTransaction } from "./resource.ts";
import { wakeNext } from "./wake.ts";

/** Ends an operation as EXECUTED by the transaction that proves it, tells it, and wakes the one behind it. */
export async function markExecuted(
  ctx: WorkerContext,
  work: Work,
  item: DelayTransaction,
  { executedHash, block }: { executedHash: Hex; block: SeenBlock },
): Promise<void> {
  const executed = await moveDelay(work.tx, item.id, "EXECUTED", {
    executedHash,
    endedBlock: block.blockNumber,
    reason: null,
    updatedAt: work.now,
  });
  if (!executed) return;
  await restOn(work, block);
  if (executed.kind === "withdrawal") {
    const data = await getDelayedTransaction(work.tx, executed, ctx.rules.transactionDataFormat);
    await publish({ ...work, requestId: executed.requestId }, "account.withdrawal.completed", executed.userId, data);
  }
  await wakeNext(work, executed);
}
