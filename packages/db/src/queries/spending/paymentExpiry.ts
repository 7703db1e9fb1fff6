/** When authorizations expired. What is captured afterwards is late. */
import { and, gt, isNull, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardPayments } from "../../schema/tables.ts";
import { findThreadPayment, isPayment, type PaymentKey } from "./payments.ts";

/** Records the issuer's own date of an expiry; the earliest counts. A thread without a payment is dated when it is settled. */
export async function recordExpiry(tx: Tx, threadId: string, expiredAt: Date): Promise<void> {
  const key = await findThreadPayment(tx, threadId);
  if (key === null) return;
  const isEarlier = or(isNull(cardPayments.expiredAt), gt(cardPayments.expiredAt, expiredAt));
  await tx
    .update(cardPayments)
    .set({ expiredAt, version: sql`${cardPayments.version} + 1` })
    .where(and(isPayment(key), isEarlier));
}

/** Cents that were captured of a payment after an instant, by the issuer's dates. */
export async function sumCapturedAfter(on: Executor, { id, userId }: PaymentKey, endedAt: Date): Promise<bigint> {
  const [row] = await on.execute<{ cents: string }>(sql`
    select coalesce(sum(amount_cents), 0) as cents from card_clearings
    where payment_id = ${id} and user_id = ${userId} and kind = 'capture'
      and posted_at > ${endedAt.toISOString()}::timestamptz`);
  return BigInt(row?.cents ?? 0);
}
