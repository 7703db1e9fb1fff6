import { parseSignInMessage } from "@cardkeep/chain/siwe";
import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { selectReceivedSafes } from "@cardkeep/db/queries/accounts/safes";
import { fanOutEventsOf, fanOutPastEvents } from "@cardkeep/db/queries/partners/deliveries/fanOut";
import {
  endSubscriptions,
  findSubscription,
  findSubscriptionMessage,
  type SubscriptionMessage,
  upsertSubscription,
  useSubscriptionMessage,
} from "@cardkeep/db/queries/partners/subscriptions";
import { findSignInWallet, lockUser } from "@cardkeep/db/queries/users/users";
import { enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import type { Commit, Context, UserContext, WalletContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { getActivePartner, getPartnerRow } from "../partners/getPartner.ts";
import { enqueueDeliveries } from "./fanOut.ts";

/** The issued message of this text and partner; null where none was issued. */
async function findIssued(ctx: Context, text: string, partnerId: string): Promise<SubscriptionMessage | null> {
  const nonce = parseSignInMessage(text)?.nonce;
  const issued = nonce === undefined ? null : await findSubscriptionMessage(ctx.db, { nonce, message: text });
  return issued?.partnerId === partnerId ? issued : null;
}

/**
 * Subscribes a partner to the events of the user that the message was issued for and whose wallet signed it: a key, or a
 * contract (ERC-1271). One that was subscribed before keeps its id, and goes on counting; it gets nothing of the time between.
 *
 * The partner named at sign-up gets what happened before its first subscription too, from `user.created` on.
 *
 * @throws partners.not_found, webhooks.invalid_message, auth.token_invalid for another user's access token,
 *   webhooks.already_subscribed, users.deactivated
 */
export async function subscribe(
  ctx: Context | WalletContext,
  input: { partnerId: string; message: string; signature: Hex },
): Promise<Commit<{ success: boolean; subscriptionId: string }>> {
  const { partnerId, message, signature } = input;
  await getActivePartner(ctx, partnerId);
  const { userId, walletAddress, nonce, expiresAt, usedAt } =
    (await findIssued(ctx, message, partnerId)) ?? fail("webhooks.invalid_message");
  if ("actor" in ctx && ctx.actor.userId !== userId) fail("auth.token_invalid");
  if (expiresAt <= (await ctx.clock.now(ctx.db))) fail("webhooks.invalid_message");
  if (!(await ctx.chain.verifyMessage({ address: walletAddress, message, signature })))
    fail("webhooks.invalid_message");
  if (await findSubscription(ctx.db, { userId, partnerId })) fail("webhooks.already_subscribed");
  if (usedAt !== null) fail("webhooks.invalid_message");
  return async ({ tx, now, requestId, wake }) => {
    const user = await lockUser(tx, userId);
    // The wallet may have been removed from the user since.
    if ((await findSignInWallet(tx, walletAddress))?.userId !== userId) fail("webhooks.invalid_message");
    if (user?.status === "DEACTIVATED") fail("users.deactivated");
    if (!(await useSubscriptionMessage(tx, nonce, now))) fail("webhooks.already_subscribed");
    // What waits in the outbox is from before this subscription, or from a time in which it had ended.
    await enqueueDeliveries(tx, await fanOutEventsOf(tx, { userId, now }));
    const row = { id: generateId(), partnerId, userId, walletAddress, createdAt: now };
    const subscriptionId = (await upsertSubscription(tx, row)) ?? fail("webhooks.already_subscribed");
    const isFirst = subscriptionId === row.id;
    if (isFirst && user?.partnerId === partnerId) {
      if (await fanOutPastEvents(tx, { subscriptionId, now })) await enqueueDeliveries(tx, [partnerId]);
      // Earlier versions published balances to live subscriptions alone.
      const funded = { subjects: selectReceivedSafes({ userId }), requestId };
      if (await enqueueQuietly(tx, "balance.publish", funded)) wake("jobs");
    }
    return { success: true, subscriptionId };
  };
}

/** Whether a partner receives the user's events. @throws partners.not_found */
export async function getSubscription(
  ctx: UserContext,
  { partnerId }: { partnerId: string },
): Promise<{ subscribed: boolean; subscriptionId: string | null }> {
  await getPartnerRow(ctx, partnerId);
  const found = await findSubscription(ctx.db, { userId: ctx.actor.userId, partnerId });
  return { subscribed: found !== null, subscriptionId: found?.id ?? null };
}

/** Ends a subscription and cancels its open deliveries; the same again changes nothing. @throws partners.not_found */
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
