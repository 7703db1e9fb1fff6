/**
 * Sends closes to partners that asked for all events: a signed webhook with the day's root and digest, and no amounts.
 *
 * It belongs to no user, so it is in no subscription's feed. A partner gets the newest close; the page `/books`, unless it is closed, has all.
 */
import { listRoots } from "@cardkeep/db/queries/books/closes";
import { findPartner, listAskingPartners } from "@cardkeep/db/queries/partners/partners";
import { isStopped } from "@cardkeep/db/queries/operators/stops";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work, WorkerContext } from "../../core/context.ts";
import { postWebhook } from "../../core/postWebhook.ts";
import { publicUrlOf } from "../../core/publicUrl.ts";
import { listSecrets } from "../../partners/partners/keys.ts";

const againMs = 60_000;
/** Hexadecimal digits of a close's digest in the id of its webhook. */
const idDigits = 16;

/** Has the newest close sent to each partner that asked for all events. */
export async function enqueueAnnouncements({ tx, requestId }: Pick<Work, "tx" | "requestId">): Promise<void> {
  for (const { id: partnerId } of await listAskingPartners(tx))
    await enqueue(tx, "books.announce", { partnerId, requestId });
}

/**
 * Sends the newest close to one partner. One that comes twice has the same id; one that a restored database made again has another.
 *
 * @throws Error where the partner does not take it
 */
export async function announceClose(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const [partner, [newest]] = await Promise.all([
    findPartner(ctx.db, partnerId),
    listRoots(ctx.db, { before: null, limit: 1 }),
  ]);
  const { webhookUrl, webhookStatus, status } = partner ?? {};
  if (!newest || !webhookUrl || status !== "ACTIVE" || webhookStatus !== "ACTIVE") return;
  if (await isStopped(ctx.db, "deliveries"))
    return ctx.commit(({ tx, requestId }) => enqueue(tx, "books.announce", { partnerId, requestId }, againMs));
  const secrets = await listSecrets(ctx, { partnerId, now: await ctx.clock.now(ctx.db) });
  const { day, root, digest, closedAt } = newest;
  const data = {
    day,
    root,
    digest,
    closedAt: closedAt.toISOString(),
    ...(ctx.policy.areBooksPublic && { url: publicUrlOf(ctx.policy.publicUrl, "/books") }),
  };
  const body = JSON.stringify({ eventType: "books.closed", data });
  await postWebhook(ctx, {
    whose: "partner's",
    url: webhookUrl,
    id: `close_${day}_${digest.slice(0, idDigits)}`,
    body,
    secrets,
  });
}
