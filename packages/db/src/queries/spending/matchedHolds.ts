/** Holds and the unlinked captures that stand beside them: same card, merchant and amount. */
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { CardPayment } from "./payments.ts";

type Named = Pick<CardPayment, "userId" | "cardId" | "merchantNetworkId" | "billingCurrency">;

const isSame = ({ userId, cardId, merchantNetworkId, billingCurrency }: Named) => sql`
  p.user_id = ${userId} and p.card_id = ${cardId} and p.merchant_network_id = ${merchantNetworkId}
  and p.billing_currency = ${billingCurrency}`;

/** A payment without an authorization, which has no decision. */
const isUnlinked = sql`not exists (select from card_decisions d where d.payment_id = p.id and d.user_id = p.user_id)`;

/** The thread of the oldest open hold beside an unlinked capture, begun since an instant; null without one. */
export async function findHoldBeside(
  on: Executor,
  capture: Named & Pick<CardPayment, "id" | "capturedCents">,
  since: Date,
): Promise<string | null> {
  const [row] = await on.execute<{ threadId: string }>(sql`
    select p.thread_id as "threadId" from card_payments p
    where ${isSame(capture)} and p.status = 'AUTHORIZED' and p.hold_ended_at is null and p.captured_cents = 0
      and p.authorized_cents - p.reversed_cents = ${capture.capturedCents.toString()}::bigint
      and p.created_at >= ${since.toISOString()}::timestamptz
      and exists (select from card_payments p where p.id = ${capture.id} and p.user_id = ${capture.userId} and ${isUnlinked})
    order by p.created_at limit 1`);
  return row?.threadId ?? null;
}

/** The thread of an unlinked capture beside a hold, made until an instant, whose whole amount left the Safe; null without one. */
export async function findPaidBeside(
  on: Executor,
  hold: Named & Pick<CardPayment, "createdAt" | "authorizedCents" | "reversedCents">,
  until: Date,
): Promise<string | null> {
  const [row] = await on.execute<{ threadId: string }>(sql`
    select p.thread_id as "threadId" from card_payments p
    where ${isSame(hold)} and p.status = 'CLEARED' and p.refunded_cents = 0 and p.owed = 0 and p.target > 0
      and p.captured_cents = ${(hold.authorizedCents - hold.reversedCents).toString()}::bigint
      and p.created_at between ${hold.createdAt.toISOString()}::timestamptz and ${until.toISOString()}::timestamptz
      and ${isUnlinked}
      and p.target = (select sum(case t.direction when 'spend' then t.amount else -t.amount end) from card_transfers t
        where t.payment_id = p.id and t.user_id = p.user_id and t.status = 'DONE')
      and not exists (select from card_payments h where h.user_id = p.user_id and h.matched_thread_id = p.thread_id)
    order by p.created_at limit 1`);
  return row?.threadId ?? null;
}
