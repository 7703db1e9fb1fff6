/** Fan-out: creates deliveries from the events of the outbox, in batches. */
import type { Executor } from "@cardkeep/db/client";
import { fanOutEvents, hasPendingEvents } from "@cardkeep/db/queries/partners/deliveries/fanOut";
import { listForgottenEndpoints } from "@cardkeep/db/queries/partners/deliveries/due";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import type { CommitContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";

const batchMax = 500;
/** Another worker is fanning out; events that it did not see are read after this time. */
const busyRetryMs = 20;

/** Creates the deliveries of all events in the outbox, and enqueues the jobs of their endpoints. It may be stopped between two batches. */
export async function fanOut(ctx: CommitContext & { readonly stopping: AbortSignal }): Promise<void> {
  // A worker looks each second, and an idle one finds nothing.
  while (!ctx.stopping.aborted && (await hasPendingEvents(ctx.db))) {
    const batch = await ctx.commit(async ({ tx, now }) => {
      const given = await fanOutEvents(tx, { now, limit: batchMax });
      await enqueueDeliveries(tx, given?.partnerIds ?? []);
      return given;
    });
    if (batch === null) await Bun.sleep(busyRetryMs);
    else if (!batch.isFull) return;
  }
}

/** Enqueues `webhook.deliver` for endpoints with due deliveries and no job. */
export async function enqueueMissedDeliveries({ db, clock }: Pick<Services, "db" | "clock">): Promise<void> {
  await enqueueDeliveries(db, await listForgottenEndpoints(db, await clock.now(db)));
}

/** Enqueues `webhook.deliver` for partners. */
export const enqueueDeliveries = (on: Executor, partnerIds: readonly string[]): Promise<void> =>
  enqueueAll(
    on,
    "webhook.deliver",
    partnerIds.map((partnerId) => ({ payload: { partnerId, requestId: "webhooks" } })),
  );
