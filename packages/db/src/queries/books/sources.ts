/** What the books post besides card money: rows of a span of time that have no posting yet, oldest first. */
import type { Currency } from "@cardkeep/contract/core/currencies";
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import { isUnposted, type Positioned, type SourceSpan, type Texts, within } from "./spans.ts";
import { spell } from "../../schema/columns.ts";
import { issuedCurrencies } from "../../schema/users/ibans.ts";

/** A paid order, in cents of its currency and base units of the token. */
export interface OrderFact {
  readonly id: string;
  readonly currency: Currency;
  readonly totalEurCents: bigint;
  readonly discountEurCents: bigint;
  readonly totalCents: bigint;
  readonly paid: bigint;
  /** It ended without a card: all of it is to go back. */
  readonly hasEnded: boolean;
  readonly hash: string;
  readonly at: Date;
  /** Of its payments before, each of which was taken back. */
  readonly postings: number;
}

/** Condition: the order `o` ended without a card. */
const hasEnded = (ended: readonly string[]): SQL => sql`o.status in (${sql.raw(spell(ended))})`;

export async function listUnpostedOrders(
  on: Executor,
  { ended, ...span }: SourceSpan & { ended: readonly string[] },
): Promise<Positioned<OrderFact>[]> {
  const rows = await on.execute<Texts<Positioned<OrderFact>>>(sql`
    select o.paid_at::text as position, o.id, o.currency, o.total_eur_cents::text as "totalEurCents", o.discount_eur_cents::text as "discountEurCents",
      o.total_cents::text as "totalCents", o.paid_amount::text as paid, o.transaction_hash as hash, o.paid_at::text as at,
      ${hasEnded(ended)} as "hasEnded",
      (select count(*) from book_postings posted where posted.cause = o.id and posted.type = 'order')::int as postings
    from orders o
    where ${within(sql`o.paid_at`, span)} and o.paid_amount > 0
      and not exists (select from book_postings posted where posted.cause = o.id and posted.type = 'order'
        and ${isUnposted(["order-end"], sql`posted.id::text`)})
    order by o.paid_at, o.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    totalEurCents: BigInt(row.totalEurCents),
    discountEurCents: BigInt(row.discountEurCents),
    totalCents: BigInt(row.totalCents),
    paid: BigInt(row.paid),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** A paid order that ended, and what the books still say that it used of its payment. */
export interface UnusedFact {
  readonly orderId: string;
  readonly currency: Currency;
  readonly at: Date;
  /** On these accounts for this order; below zero is credit. */
  readonly income: bigint;
  readonly vat: bigint;
  readonly coupons: bigint;
  /** Postings of that before. */
  readonly postings: number;
}

/** What the postings of the order `o` come to on its account of a kind. */
const bookedOf = (kind: string): SQL => sql`(select coalesce(sum(l.amount), 0) from book_postings p
  join book_lines l on l.posting_id = p.id where p.cause = o.id and l.account = ${`${kind}:`}::text || o.currency)`;

export async function listUnusedPayments(
  on: Executor,
  { ended, ...span }: SourceSpan & { ended: readonly string[] },
): Promise<Positioned<UnusedFact>[]> {
  const rows = await on.execute<Texts<Positioned<UnusedFact>>>(sql`
    select o.updated_at::text as position, o.id as "orderId", o.currency, o.updated_at::text as at,
      b.income::text, b.vat::text, b.coupons::text,
      (select count(*) from book_postings posted where posted.cause = o.id and posted.type = 'order-unused')::int as postings
    from orders o, lateral (select ${bookedOf("order-income")} as income, ${bookedOf("vat")} as vat,
      ${bookedOf("coupons")} as coupons) b
    where ${hasEnded(ended)} and o.paid_at is not null and ${within(sql`o.updated_at`, span)}
      and (b.income <> 0 or b.vat <> 0 or b.coupons <> 0)
    order by o.updated_at, o.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    income: BigInt(row.income),
    vat: BigInt(row.vat),
    coupons: BigInt(row.coupons),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** A return of an order's money, and what the books say of that order so far. */
export interface ReturnFact {
  readonly id: string;
  readonly orderId: string;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly hash: string;
  readonly at: Date;
  /** On these accounts for this order; below zero is credit. */
  readonly payable: bigint;
  readonly vat: bigint;
}

export async function listUnpostedReturns(on: Executor, span: SourceSpan): Promise<Positioned<ReturnFact>[]> {
  const rows = await on.execute<Texts<Positioned<ReturnFact>>>(sql`
    select r.paid_at::text as position, r.id, r.order_id as "orderId", o.currency, r.amount::text, r.hash, r.paid_at::text as at,
      ${bookedOf("payable")}::text as payable, ${bookedOf("vat")}::text as vat
    from order_returns r join orders o on o.id = r.order_id
    where ${within(sql`r.paid_at`, span)} and r.hash is not null and ${isUnposted(["order-return"], sql`r.id`)}
      and exists (select from book_postings p where p.type = 'order' and p.external_id = r.order_id)
      -- One after the other: what the books say of the order decides.
      and not exists (select from order_returns earlier where earlier.order_id = r.order_id and earlier.ordinal < r.ordinal
        and earlier.hash is not null and ${isUnposted(["order-return"], sql`earlier.id`)})
    order by r.paid_at, r.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    payable: BigInt(row.payable),
    vat: BigInt(row.vat),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** Native tokens that the top-up account sent to a key. */
export interface GasFact {
  readonly id: string;
  readonly amount: bigint;
  readonly hash: string;
  readonly at: Date;
}

export async function listUnpostedTopUps(on: Executor, span: SourceSpan): Promise<Positioned<GasFact>[]> {
  const rows = await on.execute<Texts<Positioned<GasFact>>>(sql`
    select t.settled_at::text as position, t.id, t.amount::text, t.hash, t.settled_at::text as at from top_ups t
    where ${within(sql`t.settled_at`, span)} and t.hash is not null and t.amount > 0 and ${isUnposted(["gas"], sql`t.id`)}
    order by t.settled_at, t.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** An order of the institution that moved a customer's money in a token that it issues; its mint was found, or is given up. */
export interface IbanFact {
  readonly id: string;
  readonly kind: "issue" | "redeem";
  readonly currency: string;
  /** Decimal. */
  readonly amount: string;
  readonly hash: string | null;
  readonly at: Date;
}

export async function listUnpostedIbanOrders(on: Executor, span: SourceSpan): Promise<Positioned<IbanFact>[]> {
  // By our own time: a report may come days after what it reports, or without its time.
  const changedAt = sql`coalesce(o.updated_at, o.reported_at)`;
  // A report that a comparison dated before its order says no time.
  const reportedAt = sql`case when o.reported_at >= o.placed_at then o.reported_at end`;
  const rows = await on.execute<Texts<Positioned<IbanFact>>>(sql`
    select ${changedAt}::text as position, o.id, o.kind, o.currency, o.amount::text, coalesce(o.mint_hash, o.tx_hashes ->> 0) as hash,
      coalesce(o.processed_at, ${reportedAt}, o.updated_at, o.placed_at)::text as at
    from iban_orders o
    where ${within(changedAt, span)} and o.state = 'processed' and o.currency in (${sql.raw(spell(issuedCurrencies))})
      and (o.kind <> 'issue' or o.mint_hash is not null or o.unmatched_at is not null)
      and ${isUnposted(["mint", "redeem"], sql`o.id`)}
    order by ${changedAt}, o.id limit ${span.limit}`);
  return rows.map((row) => ({ ...row, at: new Date(row.at), position: new Date(row.position) }));
}

/** A move of the treasury that arrived, or announced money of a redeem that was given up. */
export interface MoveFact {
  readonly id: string;
  readonly kind: "sweep" | "redeem" | "fund" | "contribute";
  readonly token: SettlementToken;
  readonly amount: bigint;
  readonly hash: string | null;
  /** The institution's order, or the issuer's top-up. */
  readonly externalId: string | null;
  /** Of a redeem, whether its money goes to the issuer; of a fund, whether it is that of a redeem. */
  readonly isLinked: boolean;
  readonly isGivenUp: boolean;
  readonly at: Date;
}

export async function listUnpostedMoves(on: Executor, span: SourceSpan): Promise<Positioned<MoveFact>[]> {
  const rows = await on.execute<Texts<Positioned<MoveFact>>>(sql`
    select m.ended_at::text as position, m.id, m.kind, m.token, m.amount::text, m.hash, m.external_id as "externalId",
      m.ended_at::text as at, m.status = 'FAILED' as "isGivenUp",
      m.cause_id is not null or exists (select from treasury_moves fund where fund.cause_id = m.id) as "isLinked"
    from treasury_moves m
    where ${within(sql`m.ended_at`, span)} and (m.status = 'DONE' or (m.status = 'FAILED' and m.kind = 'fund' and m.cause_id is not null))
      and m.kind in ('sweep', 'redeem', 'fund', 'contribute')
      and m.amount > 0 and ${isUnposted(["treasury"], sql`m.id`)}
    order by m.ended_at, m.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}
