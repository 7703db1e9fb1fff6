/** Payments of the past for back-tests, in pages along an index. */
import type { CardChannel } from "@cardkeep/contract/cards/cardRules";
import { and, asc, eq, exists, gt, isNull, sql } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import { subscriptions, users } from "../../../schema/tables.ts";
import { spentCents } from "./pastPayments.ts";

/** An approved payment: what was asked for, and what stands of it. */
export interface ReplayedPayment {
  id: string;
  userId: string;
  cardId: string;
  createdAt: Date;
  authorizedCents: bigint;
  spentCents: bigint;
  billingCurrency: string;
  mcc: string;
  country: string | null;
  channel: CardChannel | null;
  currency: string;
  merchantNetworkId: string | null;
  merchantName: string | null;
}

/** The last payment of the page before. */
export type ReplayPosition = Pick<ReplayedPayment, "userId" | "createdAt" | "id">;

/**
 * Approved payments by user and time, a page along the index of users.
 *
 * @param lowestId no payment since `since` has a lower id, so that older months are not read
 */
export async function listReplayedPayments(
  on: Executor,
  {
    userIds,
    since,
    until,
    lowestId,
    after,
    limit,
  }: {
    /** Null for everybody. */
    userIds: readonly string[] | null;
    since: Date | null;
    until: Date;
    lowestId: string;
    after: ReplayPosition | null;
    limit: number;
  },
): Promise<ReplayedPayment[]> {
  type Row = Omit<ReplayedPayment, "createdAt" | "authorizedCents" | "spentCents"> &
    Record<"createdAt" | "authorizedCents" | "spentCents", string>;
  const isOfUsers =
    userIds && sql`and user_id in (select jsonb_array_elements_text(${JSON.stringify(userIds)}::jsonb))`;
  const isAfter =
    after &&
    sql`and (user_id, created_at, id) > (${after.userId}, ${after.createdAt.toISOString()}::timestamptz, ${after.id})`;
  const rows = await on.execute<Row & Record<string, unknown>>(sql`
    select id, user_id as "userId", card_id as "cardId", created_at as "createdAt",
      authorized_cents::text as "authorizedCents", ${sql.raw(spentCents)}::text as "spentCents",
      billing_currency as "billingCurrency", mcc, merchant_country as country, channel, merchant_currency as currency,
      merchant_network_id as "merchantNetworkId", merchant_name as "merchantName"
    from card_payments
    where status in ('AUTHORIZED', 'CLEARED', 'REVERSED', 'EXPIRED') and id >= ${lowestId}
      and created_at >= ${since?.toISOString() ?? "-infinity"}::timestamptz
      and created_at < ${until.toISOString()}::timestamptz
      ${isOfUsers ?? sql.empty()} ${isAfter ?? sql.empty()}
    order by user_id, created_at, id limit ${limit}`);
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    authorizedCents: BigInt(row.authorizedCents),
    spentCents: BigInt(row.spentCents),
  }));
}

/** Ids of a partner's users, by id, or of those alone who let it receive their events; `after` is the last one of the page before. */
export async function listPartnerUserIds(
  on: Executor,
  { partnerId, isSubscribed, after, limit }: { partnerId: string; isSubscribed: boolean; after: string; limit: number },
): Promise<string[]> {
  const subscribed = on
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(eq(subscriptions.userId, users.id), eq(subscriptions.partnerId, partnerId), isNull(subscriptions.endedAt)),
    );
  const rows = await on
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.partnerId, partnerId), gt(users.id, after), isSubscribed ? exists(subscribed) : undefined))
    .orderBy(asc(users.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}
