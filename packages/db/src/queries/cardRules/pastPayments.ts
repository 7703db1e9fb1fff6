/** Earlier payments, as windows of rules count them. */
import type { CardChannel } from "@cardkeep/contract/cardRules";
import { sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";

/** An approved payment, with what stands of it. */
export interface PastPayment {
  cardId: string;
  createdAt: Date;
  spentCents: bigint;
  mcc: string;
  country: string | null;
  channel: CardChannel | null;
  currency: string;
  merchantNetworkId: string | null;
  merchantName: string | null;
}

/**
 * SQL of what stands of a payment, in cents: of a hold what is not reversed, of a cleared payment what was captured. Nothing
 * of one that was declined, reversed or expired, and nothing of a refund without a payment.
 */
export const spentCents = `(case status when 'CLEARED' then captured_cents
  when 'AUTHORIZED' then greatest(authorized_cents - reversed_cents, captured_cents) else 0 end)`;

/** SQL of how a merchant is recognised: by its id in the network, otherwise by its name. */
const merchantKey = `coalesce(merchant_network_id, lower(trim(merchant_name)))`;

/** The bound of ids by servers whose clocks differ. */
const skewMs = 3_600_000;

/**
 * The lowest id that a payment since an instant can have. An id begins with the wall clock's millisecond, and the service's
 * clock is never behind that, so the ids of a span of service time are no older than the span.
 *
 * @param spanMs how long ago the instant is, by the service's clock
 */
export function lowestIdOf(spanMs: number, wallMs: number): string {
  if (!Number.isFinite(spanMs)) return "";
  const digits = Math.max(0, wallMs - spanMs - skewMs)
    .toString(16)
    .padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** Which payments are read: of a user, or of one card of the user, since an instant, and not one payment itself. */
export interface PastQuery {
  userId: string;
  cardId: string | null;
  /** Null for all that the database keeps. */
  since: Date | null;
  lowestId: string;
  exceptId: string | null;
}

/** The approved payments since an instant. Reads the user's payments by their index, in the months that they can be in. */
export async function listPastPayments(
  tx: Tx,
  { userId, cardId, since, lowestId, exceptId }: PastQuery,
): Promise<PastPayment[]> {
  type Row = Omit<PastPayment, "createdAt" | "spentCents"> & { createdAt: string; spentCents: string };
  const rows = await tx.execute<Row & Record<string, unknown>>(sql`
    select card_id as "cardId", created_at as "createdAt", ${sql.raw(spentCents)}::text as "spentCents", mcc,
      merchant_country as country, channel, merchant_currency as currency, merchant_network_id as "merchantNetworkId",
      merchant_name as "merchantName"
    from card_payments
    where user_id = ${userId} and status in ('AUTHORIZED', 'CLEARED')
      and created_at >= ${since?.toISOString() ?? "-infinity"}::timestamptz and id >= ${lowestId}
      and (${cardId}::text is null or card_id = ${cardId}) and (${exceptId}::text is null or id <> ${exceptId})`);
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), spentCents: BigInt(row.spentCents) }));
}

/** Whether an earlier payment of the card, or of any card of the user, went to the merchant; of none without id and name. */
export async function findPaidMerchant(
  tx: Tx,
  {
    userId,
    cardId,
    exceptId,
    merchant,
  }: {
    userId: string;
    cardId: string;
    exceptId: string | null;
    merchant: { networkId: string | null; name: string | null };
  },
): Promise<{ card: boolean; user: boolean }> {
  const [row] = await tx.execute<{ card: boolean; user: boolean }>(sql`
    select coalesce(bool_or(card_id = ${cardId}), false) as card, count(*) > 0 as user from card_payments
    where user_id = ${userId} and status in ('AUTHORIZED', 'CLEARED') and ${sql.raw(spentCents)} > 0
      and ${sql.raw(merchantKey)} = coalesce(${merchant.networkId}::text, lower(trim(${merchant.name}::text)))
      and (${exceptId}::text is null or id <> ${exceptId})`);
  return row ?? { card: false, user: false };
}
