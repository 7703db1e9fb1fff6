import { fail } from "@cardkeep/contract/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findPartner, updatePartner } from "@cardkeep/db/queries/partners";
import type { Services } from "../services.ts";

/** Has a partner's endpoint written to again; what was kept back meanwhile is sent. @throws partners.not_found */
export async function enableWebhook({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await findPartner(tx, id))) fail("partners.not_found");
    const healthy = { failingSince: null, pausedUntil: null, webhookReason: null };
    await updatePartner(tx, id, { webhookStatus: "ACTIVE", ...healthy });
    await enqueue(tx, "webhook.deliver", { partnerId: id, requestId: "webhooks" });
  });
}
