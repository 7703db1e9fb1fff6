import { reopenFailedDeliveries, restartRetries } from "@cardkeep/db/queries/partners/deliveries/log";
import { type Partner, updatePartner } from "@cardkeep/db/queries/partners/partners";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work } from "./context.ts";

/**
 * Lets a locked partner's endpoint begin as one that never failed, and delivers what failed since it fails. What waits for another
 * attempt has all of them again: the last one of the schedule before may be under way. The time in which nothing is sent to it is
 * none in which it failed.
 */
export async function restartEndpoint(
  { tx, now }: Pick<Work, "tx" | "now">,
  { id: partnerId, failingSince }: Pick<Partner, "id" | "failingSince">,
): Promise<void> {
  await restartRetries(tx, partnerId, now);
  if (failingSince !== null) await reopenFailedDeliveries(tx, { partnerId, since: failingSince }, now);
  await updatePartner(tx, partnerId, { failingSince: null, pausedUntil: null });
  await enqueue(tx, "webhook.deliver", { partnerId, requestId: "webhooks" });
}
