import { enqueue } from "@cardkeep/db/jobs";
import { type DelayTransaction, findDelayByQueueNonce } from "@cardkeep/db/queries/delays";
import type { Work } from "../context.ts";

/** Has the operation behind this one looked at now, rather than when it last planned to. */
export async function wakeNext({ tx, now }: Work, { delayAddress, queueNonce }: DelayTransaction): Promise<void> {
  const next = queueNonce === null ? null : await findDelayByQueueNonce(tx, delayAddress, queueNonce + 1n);
  if (!next?.readyAt) return;
  const { id: delayId, requestId } = next;
  await enqueue(tx, "delay.dispatch", { delayId, requestId }, next.readyAt.getTime() - now.getTime());
}
