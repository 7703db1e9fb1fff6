/** When authorizations expired. What is captured afterwards is late. */
import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { CardPayment, PaymentKey } from "./payments.ts";

/** Records the issuer's own date of an expiry; the earliest counts. A thread without a payment is dated when it is settled. */
export async function recordExpiry(tx: Tx, threadId: string, expiredAt: Date): Promise<void> {
  const at = sql`${expiredAt.toISOString()}::timestamptz`;
  await tx.execute(sql`
    update card_payments p set expired_at = ${at}, version = p.version + 1
    from card_threads t
    where t.thread_id = ${threadId} and p.id = t.payment_id and p.user_id = t.user_id
      and (p.expired_at is null or p.expired_at > ${at})`);
}

/** Cents that were captured of a payment after its authorization had expired, by the issuer's dates. */
export async function sumLateCaptures(
  on: Executor,
  { id, userId, expiredAt }: PaymentKey & Pick<CardPayment, "expiredAt">,
): Promise<bigint> {
  if (expiredAt === null) return 0n;
  const [row] = await on.execute<{ cents: string }>(sql`
    select coalesce(sum(amount_cents), 0) as cents from card_clearings
    where payment_id = ${id} and user_id = ${userId} and kind = 'capture'
      and posted_at > ${expiredAt.toISOString()}::timestamptz`);
  return BigInt(row?.cents ?? 0);
}
