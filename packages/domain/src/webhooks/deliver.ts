/** Writes to one endpoint what is due to it; each endpoint has one such job at a time, so none waits for another. */
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findNextAttempt } from "@cardkeep/db/queries/deliveries";
import { findPartner, type Partner } from "@cardkeep/db/queries/partners";
import { WebhookRefused, type WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../context.ts";
import { listSecrets } from "../partners/keys.ts";
import { SecretUnreadable } from "../secrets/secrets.ts";
import { Turn } from "./turn.ts";

/** Sends what is due until nothing is, then comes back when something will be. */
export async function deliver(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (!partner || partner.webhookUrl === null || partner.status !== "ACTIVE" || partner.webhookStatus !== "ACTIVE")
    return;
  const now = await ctx.clock.now(ctx.db);
  const { pausedUntil } = partner;
  if (pausedUntil && pausedUntil > now) return comeBack(ctx, partnerId, (at) => pausedUntil.getTime() - at.getTime());
  const secrets = await openSecrets(ctx, partner, now);
  const endpoint =
    secrets === null
      ? failEach("not sent: the partner's webhook secret cannot be opened")
      : await openEndpoint(ctx, partner.webhookUrl);
  try {
    const { isDisabled, pauseMs } = await new Turn(ctx, partner, endpoint, secrets ?? [], now).run();
    if (isDisabled) return;
    const next = await findNextAttempt(ctx.db, partnerId);
    if (next !== null) await comeBack(ctx, partnerId, (at) => Math.max(pauseMs, next.getTime() - at.getTime()));
  } finally {
    endpoint.close();
  }
}

const comeBack = (ctx: WorkerContext, partnerId: string, findDelayMs: (now: Date) => number): Promise<void> =>
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

/** The endpoint, or where its address may not be connected to or is not found, one that says so. */
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
