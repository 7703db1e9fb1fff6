import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { type DelayTransaction, moveDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { findDelayBehind } from "@cardkeep/db/queries/accounts/delays/queue";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { enqueueBalanceChecks } from "../balances/publishBalance.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";

/**
 * Ends an operation as FAILED with the reason that its event carries, and wakes the one behind it. An ended one stays.
 *
 * `block` is the newest block that was read for the decision.
 */
export async function failDelay(work: Work, item: DelayTransaction, reason: string, block: SeenBlock): Promise<void> {
  const failed = await moveDelay(work.tx, item.id, "FAILED", {
    reason,
    endedBlock: block.blockNumber,
    updatedAt: work.now,
  });
  if (!failed) return;
  restOn(work, block);
  if (failed.kind === "withdrawal") {
    await publish({ ...work, requestId: failed.requestId }, "account.withdrawal.failed", failed.userId, {
      userId: failed.userId,
      error: reason,
    });
    await enqueueBalanceChecks(work, { ids: [failed.safeId] });
  }
  await wakeNext(work, failed);
}

/** Enqueues `delay.dispatch` at once for the operation behind this one, which may be ready now. */
export async function wakeNext({ tx }: Work, { delayAddress, queueNonce }: DelayTransaction): Promise<void> {
  const next = queueNonce === null ? null : await findDelayBehind(tx, delayAddress, queueNonce);
  if (next) await enqueue(tx, "delay.dispatch", { delayId: next.id, requestId: next.requestId });
}
