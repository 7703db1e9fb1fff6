/** Sends due deliveries to one endpoint. Each endpoint has one such job at a time, so no endpoint waits for another. */
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findNextAttempt } from "@cardkeep/db/queries/partners/deliveries/due";
import { isStopped } from "@cardkeep/db/queries/operators/stops";
import { findPartner, type Partner } from "@cardkeep/db/queries/partners/partners";
import { WebhookRefused, type WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../../core/context.ts";
import { listSecrets } from "../partners/keys.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { readTerms } from "./deliveryRun.ts";
import { runDeliveries } from "./runDeliveries.ts";

/** Sends until nothing is due, then schedules the job again for the next attempt. */
export async function deliver(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (!partner || partner.webhookUrl === null || partner.status !== "ACTIVE" || partner.webhookStatus !== "ACTIVE")
    return;
  // Once they are resumed, a chore enqueues this job again.
  if (await isStopped(ctx.db, "deliveries")) return;
  const now = await ctx.clock.now(ctx.db);
  const { pausedUntil } = partner;
  if (pausedUntil && pausedUntil > now) return reschedule(ctx, partnerId, (at) => pausedUntil.getTime() - at.getTime());
  // Before the secrets: one that is added between the two begins another run.
  const terms = await readTerms(ctx, partner);
  const secrets = await openSecrets(ctx, partner, now);
  const endpoint =
    secrets === null
      ? failEach("not sent: the partner's webhook secret cannot be opened")
      : await openEndpoint(ctx, partner.webhookUrl);
  try {
    const input = { partner, endpoint, secrets: secrets ?? [], terms, startedAt: now };
    const { isDisabled, isReplaced, pauseMs: pause } = await runDeliveries(ctx, input);
    if (isDisabled && !isReplaced) return;
    const pauseMs = isReplaced ? 0 : pause;
    const next = await findNextAttempt(ctx.db, partnerId);
    if (next !== null) await reschedule(ctx, partnerId, (at) => Math.max(pauseMs, next.getTime() - at.getTime()));
  } finally {
    endpoint.close();
  }
}

const reschedule = (ctx: WorkerContext, partnerId: string, findDelayMs: (now: Date) => number): Promise<void> =>
  ctx.commit(({ tx, now, requestId }) => enqueue(tx, "webhook.deliver", { partnerId, requestId }, findDelayMs(now)));

/** The secrets that sign; null, and an error in the log, where one cannot be opened: nothing is sent without it. */
async function openSecrets(ctx: WorkerContext, { id }: Partner, now: Date): Promise<string[] | null> {
  try {
    return await listSecrets(ctx, { partnerId: id, now });
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ err: error, partnerId: id }, "deliveries fail: see `bun run cardkeep doctor`");
    return null;
  }
}

/** The endpoint; where its address is refused or not found, one whose attempts fail with that reason. */
async function openEndpoint({ webhookSender }: WorkerContext, url: string): Promise<WebhookEndpoint> {
  try {
    return await webhookSender.open(url);
  } catch (error) {
    const why = error instanceof WebhookRefused ? error.message : "the address was not found";
    return failEach(why);
  }
}

/** Stands for an endpoint that cannot be called: each attempt fails with `error`. */
function failEach(error: string): WebhookEndpoint {
  const answer = { status: null, error, retryAfterSeconds: null, isAborted: false, durationMs: 0 };
  return { post: async () => answer, close: () => {} };
}
