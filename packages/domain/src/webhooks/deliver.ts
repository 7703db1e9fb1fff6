/** Writes to one endpoint what is due to it; each endpoint has one such job at a time, so none waits for another. */
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findNextAttempt } from "@cardkeep/db/queries/deliveries";
import { findPartner } from "@cardkeep/db/queries/partners";
import { WebhookRefused, type WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../context.ts";
import { Turn } from "./turn.ts";

/** Sends what is due until nothing is, then comes back when something will be. */
export async function deliver(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (!partner || partner.webhookUrl === null || partner.status !== "ACTIVE" || partner.webhookStatus !== "ACTIVE")
    return;
  const now = await ctx.clock.now(ctx.db);
  const { pausedUntil } = partner;
  if (pausedUntil && pausedUntil > now) return comeBack(ctx, partnerId, (at) => pausedUntil.getTime() - at.getTime());
  const endpoint = await openEndpoint(ctx, partner.webhookUrl);
  try {
    const { isDisabled, pauseMs } = await new Turn(ctx, partner, endpoint, now).run();
    if (isDisabled) return;
    const next = await findNextAttempt(ctx.db, partnerId);
    if (next !== null) await comeBack(ctx, partnerId, (at) => Math.max(pauseMs, next.getTime() - at.getTime()));
  } finally {
    endpoint.close();
  }
}

const comeBack = (ctx: WorkerContext, partnerId: string, findDelayMs: (now: Date) => number): Promise<void> =>
  ctx.commit(({ tx, now, requestId }) => enqueue(tx, "webhook.deliver", { partnerId, requestId }, findDelayMs(now)));

/** The endpoint, or where its address may not be connected to or is not found, one that says so. */
async function openEndpoint({ webhookSender }: WorkerContext, url: string): Promise<WebhookEndpoint> {
  try {
    return await webhookSender.open(url);
  } catch (error) {
    const why = error instanceof WebhookRefused ? error.message : "the address was not found";
    const answer = { status: null, error: why, retryAfterSeconds: null, isAborted: false, durationMs: 0 };
    return { post: async () => answer, close: () => {} };
  }
}
