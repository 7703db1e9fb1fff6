/** The way from the outbox to deliveries: in batches, behind the commits whose events they are. */
import { fanOutEvents, listForgottenEndpoints } from "@cardkeep/db/queries/deliveries";
import { enqueue } from "@cardkeep/db/jobs";
import type { Services } from "../context.ts";

const batchMax = 500;
/** Another worker is at it; what it did not see yet is seen then. */
const busyRetryMs = 20;

/** Hands everything in the outbox out to subscriptions, and has their endpoints written to. */
export async function fanOut({ db, clock }: Pick<Services, "db" | "clock">): Promise<void> {
  for (;;) {
    const batch = await db.transaction(async (tx) => {
      const given = await fanOutEvents(tx, { now: await clock.now(tx), limit: batchMax });
      for (const partnerId of given?.partnerIds ?? []) {
        await enqueue(tx, "webhook.deliver", { partnerId, requestId: "webhooks" });
      }
      return given;
    });
    if (batch === null) await Bun.sleep(busyRetryMs);
    else if (batch.count < batchMax) return;
  }
}

/** Has endpoints written to for which something is due and no job stands. */
export async function wakeEndpoints({ db, clock }: Pick<Services, "db" | "clock">): Promise<void> {
  for (const partnerId of await listForgottenEndpoints(db, await clock.now(db)))
    await enqueue(db, "webhook.deliver", { partnerId, requestId: "webhooks" });
}
