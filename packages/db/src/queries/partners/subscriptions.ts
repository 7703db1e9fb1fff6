/** Subscriptions and the messages that begin them. */
import { listOrigins } from "@cardkeep/contract/core/machine";
import { deliveryMachine } from "@cardkeep/contract/partners/deliveries";
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { deliveries, partners, subscriptionMessages, subscriptions } from "../../schema/tables.ts";

export type Subscription = typeof subscriptions.$inferSelect;
export type SubscriptionMessage = typeof subscriptionMessages.$inferSelect;

export async function insertSubscriptionMessage(tx: Tx, row: typeof subscriptionMessages.$inferInsert): Promise<void> {
  await tx.insert(subscriptionMessages).values(row);
}

/** The message that was issued with this very text. */
export async function findSubscriptionMessage(
  on: Executor,
  { nonce, message }: { nonce: string; message: string },
): Promise<SubscriptionMessage | null> {
  const isThis = and(eq(subscriptionMessages.nonce, nonce), eq(subscriptionMessages.message, message));
  const [row] = await on.select().from(subscriptionMessages).where(isThis).limit(1);
  return row ?? null;
}

/** Uses a message up; true for exactly one caller. */
export async function useSubscriptionMessage(tx: Tx, nonce: string, now: Date): Promise<boolean> {
  const unused = and(eq(subscriptionMessages.nonce, nonce), isNull(subscriptionMessages.usedAt));
  const rows = await tx
    .update(subscriptionMessages)
    .set({ usedAt: now })
    .where(unused)
    .returning({ nonce: subscriptionMessages.nonce });
  return rows.length === 1;
}

/** A user's active subscription to a partner. */
export async function findSubscription(
  on: Executor,
  { userId, partnerId }: { userId: string; partnerId: string },
): Promise<Subscription | null> {
  const [row] = await on
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), eq(subscriptions.partnerId, partnerId), isNull(subscriptions.endedAt)))
    .limit(1);
  return row ?? null;
}

/**
 * Begins a subscription, or an ended one again. Returns its id, or null when it is active already. The caller holds the
 * lock of the fan-out, so that its partner gets no gap meanwhile.
 */
export async function upsertSubscription(
  tx: Tx,
  row: { id: string; partnerId: string; userId: string; walletAddress: Address; createdAt: Date },
): Promise<string | null> {
  const sequenceGaps = sql`(select ${partners.sequenceGaps} from ${partners} where ${partners.id} = ${row.partnerId})`;
  const [begun] = await tx
    .insert(subscriptions)
    .values({ ...row, lastSequence: 0n, sequenceGaps })
    .onConflictDoUpdate({
      target: [subscriptions.userId, subscriptions.partnerId],
      set: { endedAt: null, walletAddress: row.walletAddress },
      setWhere: sql`${subscriptions.endedAt} is not null`,
    })
    .returning({ id: subscriptions.id });
  return begun?.id ?? null;
}

/** Ends a user's subscription to one partner, or to all of them, and cancels pending deliveries. */
export async function endSubscriptions(
  tx: Tx,
  { userId, partnerId, now }: { userId: string; partnerId?: string; now: Date },
): Promise<void> {
  const ofPartner = partnerId === undefined ? undefined : eq(subscriptions.partnerId, partnerId);
  const ended = await tx
    .update(subscriptions)
    .set({ endedAt: now })
    .where(and(eq(subscriptions.userId, userId), ofPartner, isNull(subscriptions.endedAt)))
    .returning({ id: subscriptions.id });
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await tx
    .update(deliveries)
    .set({ status: "CANCELLED", endedAt: now })
    .where(
      and(
        inArray(deliveries.subscriptionId, ids),
        inArray(deliveries.status, listOrigins(deliveryMachine, "CANCELLED")),
      ),
    );
}

/** More subscriptions than these are not counted. */
export const subscriptionsCountedMax = 5_000;

/** A partner's active subscriptions, `subscriptionsCountedMax` at most. */
export async function countSubscriptions(on: Executor, partnerId: string): Promise<number> {
  const [row] = await on.execute<{ count: number }>(sql`
    select count(*)::int from (
      select from subscriptions where partner_id = ${partnerId} and ended_at is null limit ${subscriptionsCountedMax}
    ) found`);
  return row?.count ?? 0;
}

/** A user's subscriptions, ended ones too, oldest first. */
export async function listSubscriptions(on: Executor, userId: string): Promise<Subscription[]> {
  return on
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(asc(subscriptions.createdAt), asc(subscriptions.id));
}
