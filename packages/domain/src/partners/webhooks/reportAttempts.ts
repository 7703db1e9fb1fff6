/** The state of an endpoint: in order, paused, failing, or disabled after five days of failures only. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import type { Tx } from "@cardkeep/db/client";
import { type AttemptResult, recordAttempts } from "@cardkeep/db/queries/partners/deliveries/due";
import { findPartner, lockPartner, updatePartner } from "@cardkeep/db/queries/partners/partners";
import { listAttemptCounts } from "@cardkeep/db/queries/partners/hours";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work, WorkerContext } from "../../core/context.ts";
import { leaveOutRefused } from "../../core/messages/leaveOutRefused.ts";
import type { Log } from "../../core/ports.ts";
import { attemptPauseMsMax } from "./retrySchedule.ts";

const failingMsMax = 5 * dayMs;

/**
 * Records attempts and the state of their endpoint where it changed, and returns that. Attempts at an address that was replaced
 * meanwhile say nothing of the present one.
 */
export async function reportAttempts(
  { tx, now, requestId }: Work,
  log: Log,
  { id, webhookUrl, isFailing }: { id: string; webhookUrl: string | null; isFailing: boolean },
  { results, pauseMs }: { results: readonly AttemptResult[]; pauseMs: number },
): Promise<{ isFailing: boolean; isDisabled: boolean }> {
  const hasFailed = results.some(({ becomes }) => becomes !== "DELIVERED");
  // Nearly always nothing changes, and then the partner's row is not locked.
  const mayChange = hasFailed || isFailing;
  // First, as where an endpoint begins anew: that locks the partner, and then these deliveries.
  const partner = mayChange ? await lockPartner(tx, id) : null;
  await recordAttempts(tx, id, results);
  if (!mayChange) return { isFailing, isDisabled: false };
  if (partner?.webhookStatus !== "ACTIVE") return { isFailing, isDisabled: true };
  if (partner.webhookUrl !== webhookUrl) return { isFailing, isDisabled: false };
  const hasSucceeded = results.some(({ becomes }) => becomes === "DELIVERED");
  const failingSince = hasSucceeded ? null : (partner.failingSince ?? now);
  const pausedUntil = pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null;
  const isGone = results.some(({ status }) => status === 410);
  const isTooLong = failingSince !== null && hasFailed && (await hasFailedTooLong(tx, id, failingSince, now));
  if (!isGone && !isTooLong) {
    await updatePartner(tx, id, { failingSince, pausedUntil });
    return { isFailing: failingSince !== null || pausedUntil !== null, isDisabled: false };
  }
  const webhookReason = isGone ? "It answered 410 Gone" : "Every attempt of five days failed";
  await updatePartner(tx, id, { failingSince, pausedUntil: null, webhookStatus: "DISABLED", webhookReason });
  log.warn({ partnerId: id, reason: webhookReason }, "a partner's webhook was disabled");
  await enqueue(tx, "webhook.mail", { partnerId: id, requestId });
  return { isFailing: true, isDisabled: true };
}

/** Whether all attempts of five days failed. Days in which nothing was sent are none of them: the run of failures begins behind those. */
async function hasFailedTooLong(tx: Tx, partnerId: string, since: Date, now: Date): Promise<boolean> {
  const isLong = (from: number): boolean => now.getTime() - from >= failingMsMax;
  if (!isLong(since.getTime())) return false;
  const hours = (await listAttemptCounts(tx, { partnerId, since })).map(({ hour }) => hour.getTime());
  // Of whole hours: two of them may look an hour further apart than their attempts were.
  const isGap = (hour: number, at: number): boolean => hour - (hours[at - 1] ?? hour) > attemptPauseMsMax + hourMs;
  return isLong(Math.max(since.getTime(), hours.findLast(isGap) ?? 0));
}

/** Mails a partner that has an address that its endpoint was disabled, and how it is enabled again. */
export async function notifyDisabled(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (partner?.contact == null || partner.webhookStatus !== "DISABLED") return;
  const mail = {
    to: partner.contact,
    subject: "Your webhook was disabled",
    text: `${ctx.policy.programme.name}: nothing is sent to ${partner.webhookUrl} any more: ${partner.webhookReason}.\n\nEvents are kept for 30 days: pull them, or ask us to enable the webhook again, and they are delivered.\n`,
  };
  await leaveOutRefused(ctx, { partnerId }, ctx.mailer.send(mail));
}
