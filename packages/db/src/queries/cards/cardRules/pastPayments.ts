/** Earlier payments, as windows of rules count them. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import type { CardChannel } from "@cardkeep/contract/cards/cardRules";
import { sql } from "drizzle-orm";
import type { Tx } from "../../../client.ts";
import { firstIdAt } from "../../../timeIds.ts";

/** An approved payment, with what stands of it. */
export interface PastPayment {
  id: string;
  cardId: string;
  createdAt: Date;
  authorizedCents: bigint;
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
const skewMs = hourMs;

/**
 * The lowest id that a payment since an instant can have. An id begins with the wall clock's millisecond, and the service's
 * clock is never behind that, so the ids of a span of service time are no older than the span.
 *
 * @param spanMs how long ago the instant is, by the service's clock
 */
export function lowestIdOf(spanMs: number, wallMs: number): string {
  if (!Number.isFinite(spanMs)) return "";
  return firstIdAt(Math.max(0, wallMs - spanMs - skewMs));
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

/** SQL of a past payment's columns, of `card_payments p`. */
const pastColumns =
  sql.raw(`p.id, p.card_id as "cardId", p.created_at as "createdAt", p.authorized_cents::text as "authorizedCents",
  ${spentCents}::text as "spentCents", p.mcc, p.merchant_country as country, p.channel, p.merchant_currency as currency,
  p.merchant_network_id as "merchantNetworkId", p.merchant_name as "merchantName"`);

type PastRow = Omit<PastPayment, "createdAt" | "authorizedCents" | "spentCents"> &
  Record<"createdAt" | "authorizedCents" | "spentCents", string>;

const readPast = ({ createdAt, authorizedCents, spentCents: spent, ...row }: PastRow): PastPayment => ({
  ...row,
  createdAt: new Date(createdAt),
  authorizedCents: BigInt(authorizedCents),
  spentCents: BigInt(spent),
});

/** The approved payments since an instant. Reads the user's payments by their index, in the months that they can be in. */
export async function listPastPayments(
  tx: Tx,
  { userId, cardId, since, lowestId, exceptId }: PastQuery,
): Promise<PastPayment[]> {
  const rows = await tx.execute<PastRow & Record<string, unknown>>(sql`
    select ${pastColumns} from card_payments p
    where p.user_id = ${userId} and p.status in ('AUTHORIZED', 'CLEARED')
      and p.created_at >= ${since?.toISOString() ?? "-infinity"}::timestamptz and p.id >= ${lowestId}
      and (${cardId}::text is null or p.card_id = ${cardId}) and (${exceptId}::text is null or p.id <> ${exceptId})`);
  return rows.map(readPast);
}

/** An increment that was approved, and its payment, which may be older. */
export interface PastIncrement {
  payment: PastPayment;
  createdAt: Date;
  approvedCents: bigint;
}

/** A pending authorization ends within a month, so the payment of an increment is no older than this before it. */
const growsMs = 92 * dayMs;

/**
 * The approved increments since an instant of payments that stand, in their order. Reads the few that the user has by their
 * index.
 *
 * @param spanMs how long ago the instant is, by the service's clock
 */
export async function listPastIncrements(
  tx: Tx,
  { userId, cardId, since, exceptId }: Omit<PastQuery, "lowestId">,
  { spanMs, wallMs }: { spanMs: number; wallMs: number },
): Promise<PastIncrement[]> {
  type Row = PastRow & { raisedAt: string; approvedCents: string };
  const lowestId = lowestIdOf(spanMs + growsMs, wallMs);
  const rows = await tx.execute<Row & Record<string, unknown>>(sql`
    select d.created_at as "raisedAt", d.approved_cents::text as "approvedCents", ${pastColumns}
    from card_decisions d join card_payments p on p.id = d.payment_id and p.user_id = d.user_id
    where d.user_id = ${userId} and d.ordinal > 0 and d.approved_cents > 0
      and d.created_at >= ${since?.toISOString() ?? "-infinity"}::timestamptz and d.payment_id >= ${lowestId}
      and p.id >= ${lowestId} and p.status in ('AUTHORIZED', 'CLEARED')
      and (${cardId}::text is null or p.card_id = ${cardId}) and (${exceptId}::text is null or p.id <> ${exceptId})
    order by d.payment_id, d.ordinal`);
  return rows.map(({ raisedAt, approvedCents, ...row }) => ({
    payment: readPast(row),
    createdAt: new Date(raisedAt),
    approvedCents: BigInt(approvedCents),
  }));
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
