/** How an endpoint does: paused, failing, or disabled after five days of failures only. */
import { enqueue } from "@cardkeep/db/jobs";
import { lockPartner, updatePartner } from "@cardkeep/db/queries/partners";
import type { Log, Work } from "../context.ts";

const failingMsMax = 5 * 24 * 3_600_000;

export interface EndpointChange {
  hasSucceeded: boolean;
  hasFailed: boolean;
  isGone: boolean;
}

/** Notes what attempts tell of an endpoint, where they tell anything new; answers how it does now. */
export async function noteEndpoint(
  { tx, now }: Work,
  log: Log,
  { id, isFailing }: { id: string; isFailing: boolean },
  change: EndpointChange & { pauseMs: number },
): Promise<{ isFailing: boolean; isDisabled: boolean }> {
  const { hasSucceeded, hasFailed, isGone, pauseMs } = change;
  // Nearly always everything is as it was, and nobody's row has to be held for that.
  if (!hasFailed && !isFailing) return { isFailing, isDisabled: false };
  const partner = await lockPartner(tx, id);
  if (partner?.webhookStatus !== "ACTIVE") return { isFailing, isDisabled: true };
  const failingSince = hasSucceeded ? null : (partner.failingSince ?? now);
  const isTooLong = failingSince !== null && hasFailed && now.getTime() - failingSince.getTime() >= failingMsMax;
  const pausedUntil = pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null;
  await updatePartner(tx, id, { failingSince, pausedUntil });
  if (!isGone && !isTooLong) return { isFailing: failingSince !== null, isDisabled: false };
  const webhookReason = isGone ? "It answered 410 Gone" : "Every attempt of five days failed";
  await updatePartner(tx, id, { webhookStatus: "DISABLED", webhookReason, pausedUntil: null });
  log.warn({ partnerId: id, reason: webhookReason }, "a partner's webhook was disabled");
  await enqueue(tx, "webhook.notice", { partnerId: id, requestId: "webhooks" });
  return { isFailing: true, isDisabled: true };
}
