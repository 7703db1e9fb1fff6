/** The way from the outbox to deliveries: in batches, behind the commits whose events they are. */
import type { Executor } from "@cardkeep/db/client";
import { fanOutEvents } from "@cardkeep/db/queries/deliveries/fanOut";
import { listForgottenEndpoints } from "@cardkeep/db/queries/deliveries/due";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import type { CommitContext } from "../context.ts";
import type { Services } from "../services.ts";

const batchMax = 500;
/** Another worker is at it; what it did not see yet is seen then. */
const busyRetryMs = 20;

/** Hands everything in the outbox out to subscriptions, and has their endpoints written to. */
export async function fanOut(ctx: CommitContext): Promise<void> {
  for (;;) {
    const batch = await ctx.commit(async ({ tx, now }) => {
      const given = await fanOutEvents(tx, { now, limit: batchMax });
      await enqueueDeliveries(tx, given?.partnerIds ?? []);
      return given;
    });
    if (batch === null) await Bun.sleep(busyRetryMs);
    else if (batch.count < batchMax) return;
  }
}

/** Has endpoints written to for which something is due and no job stands. */
export async function enqueueMissedDeliveries({ db, clock }: Pick<Services, "db" | "clock">): Promise<void> {
  await enqueueDeliveries(db, await listForgottenEndpoints(db, await clock.now(db)));
}

/** Has the endpoints of partners written to. */
export const enqueueDeliveries = (on: Executor, partnerIds: readonly string[]): Promise<void> =>
  enqueueAll(
    on,
    "webhook.deliver",
    partnerIds.map((partnerId) => ({ payload: { partnerId, requestId: "webhooks" } })),
  );
