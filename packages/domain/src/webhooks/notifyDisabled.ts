import { findPartner } from "@cardkeep/db/queries/partners";
import type { WorkerContext } from "../context.ts";

/** Mails a partner that has an address that its endpoint was disabled, and how it is enabled again. */
export async function notifyDisabled(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (partner?.contact == null || partner.webhookStatus !== "DISABLED") return;
  await ctx.mailer.send({
    to: partner.contact,
    subject: "Your webhook was disabled",
    text: `Nothing is sent to ${partner.webhookUrl} any more: ${partner.webhookReason}.\n\nEvents are kept for 30 days: pull them, or ask us to enable the webhook again, and they are delivered.\n`,
  });
}
