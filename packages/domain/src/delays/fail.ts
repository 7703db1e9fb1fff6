import { type DelayTransaction, moveDelay } from "@cardkeep/db/queries/delays";
import type { Work } from "../context.ts";
import { publish } from "../events.ts";

/** Ends an operation as FAILED with the reason its owner is told; an ended one stays as it is. */
export async function failDelay(work: Work, item: DelayTransaction, reason: string): Promise<void> {
  const failed = await moveDelay(work.tx, item.id, ["QUEUING", "WAITING", "EXECUTING"], {
    status: "FAILED",
    reason,
    updatedAt: work.now,
  });
  if (failed?.kind === "withdrawal") {
    await publish(work, "account.withdrawal.failed", failed.userId, { userId: failed.userId, error: reason });
  }
}
