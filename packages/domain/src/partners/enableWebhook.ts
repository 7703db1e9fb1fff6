import { fail } from "@cardkeep/contract/errors";
import type { Tx } from "@cardkeep/db/client";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findPartner, updatePartner } from "@cardkeep/db/queries/partners";
import type { OperatorContext } from "../context.ts";

/** Enables a partner's endpoint again; the events that were kept back are delivered. @throws partners.not_found */
export async function enableWebhook(ctx: OperatorContext, { id }: { id: string }): Promise<void> {
  await ctx.commit(({ tx }) => enableEndpoint(tx, id));
}

/** The same in the caller's transaction. @throws partners.not_found */
export async function enableEndpoint(tx: Tx, id: string): Promise<void> {
  if (!(await findPartner(tx, id))) fail("partners.not_found");
  const healthy = { failingSince: null, pausedUntil: null, webhookReason: null };
  await updatePartner(tx, id, { webhookStatus: "ACTIVE", ...healthy });
  await enqueue(tx, "webhook.deliver", { partnerId: id, requestId: "webhooks" });
}
