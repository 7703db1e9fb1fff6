import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { DelayTransaction } from "@cardkeep/db/queries/delays/delays";
import { findDelayBehind } from "@cardkeep/db/queries/delays/queue";
import type { Work } from "../context.ts";

/** Enqueues `delay.dispatch` at once for the operation behind this one, which may be ready now. */
export async function wakeNext({ tx }: Work, { delayAddress, queueNonce }: DelayTransaction): Promise<void> {
  const next = queueNonce === null ? null : await findDelayBehind(tx, delayAddress, queueNonce);
  if (next) await enqueue(tx, "delay.dispatch", { delayId: next.id, requestId: next.requestId });
}
