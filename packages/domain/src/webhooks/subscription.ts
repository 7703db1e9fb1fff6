import { endSubscriptions, findSubscription } from "@cardkeep/db/queries/subscriptions";
import type { Commit, UserContext } from "../context.ts";
import { getPartnerRow } from "./partner.ts";

/** Whether a partner receives the user's events. @throws partners.not_found */
export async function getSubscription(
  ctx: UserContext,
  { partnerId }: { partnerId: string },
): Promise<{ subscribed: boolean; subscriptionId: string | null }> {
  await getPartnerRow(ctx, partnerId);
  const found = await findSubscription(ctx.db, { userId: ctx.actor.userId, partnerId });
  return { subscribed: found !== null, subscriptionId: found?.id ?? null };
}

/** Ends a subscription, and cancels what is on its way; the same again changes nothing. @throws partners.not_found */
export async function unsubscribe(
  ctx: UserContext,
  { partnerId }: { partnerId: string },
): Promise<Commit<{ success: boolean }>> {
  await getPartnerRow(ctx, partnerId);
  return async ({ tx, now }) => {
    await endSubscriptions(tx, { userId: ctx.actor.userId, partnerId, now });
    return { success: true };
  };
}
