/** What the books post: rows of a span of time that have no posting yet, oldest first. */
import type { Currency } from "@cardkeep/contract/core/currencies";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import type { NewLine } from "./postings.ts";
import type { clearingKinds } from "../../schema/spending/payments.ts";

/** A row of a source. */
type Positioned<F> = F & {
  /** The instant by which the source is read: the next page begins with it. */
  readonly position: Date;
};

/** The next rows of a span: `from` counts, `to` does not. */
export interface SourceSpan {
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

const within = (column: SQL, { from, to }: SourceSpan): SQL =>
  sql`${column} >= ${from.toISOString()}::timestamptz and ${column} < ${to.toISOString()}::timestamptz`;

/** Condition: no posting of some types is of this object. */
const isUnposted = (types: readonly string[], externalId: SQL): SQL =>
  sql`not exists (select from book_postings posted
    where posted.type in (${sql.join(
      types.map((type) => sql`${type}`),
      sql`, `,
    )}) and posted.external_id = ${externalId})`;

export const entryTypes = ["hold", "spend", "return", "debt", "write-off"] as const;
export const clearingTypes = ["capture", "refund", "capture-reversal", "refund-reversal"] as const;

/** A ledger entry of card money, with the transfer that it belongs to. */
export interface EntryFact {
  readonly id: string;
  readonly paymentId: string;
  readonly token: SettlementToken;
  readonly safe: bigint;
  readonly held: bigint;
  readonly settlement: bigint;
  readonly owed: bigint;
  readonly writtenOff: bigint;
  readonly transferId: string;
  readonly isByHand: boolean;
  readonly disputeId: string | null;
  readonly hash: Hex | null;
  /** When it moved on chain; without a record of that, when it was booked. */
  readonly at: Date;
}

type Texts<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends Date ? string : T[K] };

export async function listUnpostedEntries(on: Executor, span: SourceSpan): Promise<Positioned<EntryFact>[]> {
  const rows = await on.execute<Texts<Positioned<EntryFact>>>(sql`
    select e.created_at::text as position, e.id, e.payment_id as "paymentId", s.token_symbol as token, e.safe::text, e.held::text, e.settlement::text,
      e.owed::text, e.written_off::text as "writtenOff", t.id as "transferId", t.is_by_hand as "isByHand",
      t.dispute_id as "disputeId", t.hash, coalesce(
        case when e.settlement <> 0 then (select m.at from movements m
          where m.safe_id = e.safe_id and m.block_number = t.ended_block and m.hash = t.hash limit 1) end,
        e.created_at)::text as at
    from ledger_entries e join safes s on s.id = e.safe_id
    join card_transfers t on t.payment_id = e.payment_id and t.ordinal = e.ordinal and t.user_id = e.user_id
    where ${within(sql`e.created_at`, span)} and s.token_symbol is not null and ${isUnposted(entryTypes, sql`e.id`)}
    order by e.created_at, e.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    safe: BigInt(row.safe),
    held: BigInt(row.held),
    settlement: BigInt(row.settlement),
    owed: BigInt(row.owed),
    writtenOff: BigInt(row.writtenOff),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** A capture, refund, or the reversal of one, as the issuer booked it. */
export interface ClearingFact {
  readonly id: string;
  readonly paymentId: string;
  readonly kind: Exclude<(typeof clearingKinds)[number], "reversal">;
  readonly cents: bigint;
  readonly currency: Currency;
  readonly at: Date;
}

export async function listUnpostedClearings(on: Executor, span: SourceSpan): Promise<Positioned<ClearingFact>[]> {
  const rows = await on.execute<Texts<Positioned<ClearingFact>>>(sql`
    select c.created_at::text as position, c.id, c.payment_id as "paymentId", c.kind, c.amount_cents::text as cents, p.billing_currency as currency,
      c.posted_at::text as at
    from card_clearings c join card_payments p on p.id = c.payment_id and p.user_id = c.user_id
    where ${within(sql`c.created_at`, span)} and c.kind <> 'reversal' and c.amount_cents > 0
      and ${isUnposted(clearingTypes, sql`c.id`)}
    order by c.created_at, c.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    cents: BigInt(row.cents),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

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
}

export async function listUnpostedOrders(
  on: Executor,
  { ended, ...span }: SourceSpan & { ended: readonly string[] },
): Promise<Positioned<OrderFact>[]> {
  const rows = await on.execute<Texts<Positioned<OrderFact>>>(sql`
    select o.paid_at::text as position, o.id, o.currency, o.total_eur_cents::text as "totalEurCents", o.discount_eur_cents::text as "discountEurCents",
      o.total_cents::text as "totalCents", o.paid_amount::text as paid, o.transaction_hash as hash, o.paid_at::text as at,
      o.status in (select json_array_elements_text(${JSON.stringify(ended)}::json)) as "hasEnded"
    from orders o
    where ${within(sql`o.paid_at`, span)} and o.paid_amount > 0 and ${isUnposted(["order"], sql`o.id`)}
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
  const booked = (kind: string) => sql`(select coalesce(sum(l.amount), 0)::text from book_postings p
    join book_lines l on l.posting_id = p.id where p.cause = o.id and l.account = ${`${kind}:`}::text || o.currency)`;
  const rows = await on.execute<Texts<Positioned<ReturnFact>>>(sql`
    select r.paid_at::text as position, r.id, r.order_id as "orderId", o.currency, r.amount::text, r.hash, r.paid_at::text as at,
      ${booked("payable")} as payable, ${booked("vat")} as vat
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

/** A dispute whose money at the issuer, or whose loss, is not what the books say. */
export interface DisputeFact {
  readonly id: string;
  readonly issuerDisputeId: string;
  readonly currency: Currency;
  readonly token: SettlementToken;
  readonly reinstatedCents: bigint;
  /** What the customer keeps for it, in base units. */
  readonly credit: bigint;
  readonly isClosed: boolean;
  readonly at: Date;
  /** Postings of it, and what they come to at the issuer and as a loss. */
  readonly postings: number;
  readonly prefund: bigint;
  readonly losses: bigint;
}

export async function listDisputesToPost(on: Executor, span: SourceSpan): Promise<Positioned<DisputeFact>[]> {
  const rows = await on.execute<Texts<Positioned<DisputeFact>>>(sql`
    select d.updated_at::text as position, d.id, d.issuer_dispute_id as "issuerDisputeId", p.billing_currency as currency, s.token_symbol as token,
      d.reinstated_cents::text as "reinstatedCents", p.credit::text, d.closed_at is not null as "isClosed",
      d.updated_at::text as at, b.postings, b.prefund::text, b.losses::text
    from card_disputes d join card_payments p on p.id = d.payment_id and p.user_id = d.user_id
    join safes s on s.id = p.safe_id,
    lateral (select count(distinct posted.id)::int as postings,
        coalesce(sum(l.amount) filter (where l.account like 'prefund:%'), 0) as prefund,
        coalesce(sum(l.amount) filter (where l.account like 'dispute-losses:%'), 0) as losses
      from book_postings posted join book_lines l on l.posting_id = posted.id
      where posted.type = 'dispute' and posted.cause = d.id) b,
    lateral (select d.reinstated_cents * case s.token_symbol when 'USDCe' then 1e4 else 1e16 end as reinstated) r
    where (b.prefund <> r.reinstated
        or b.losses <> case when d.closed_at is null then 0 else greatest(p.credit - r.reinstated, 0) end) and ${within(sql`d.updated_at`, span)} and d.issuer_dispute_id is not null and s.token_symbol is not null
    order by d.updated_at, d.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    reinstatedCents: BigInt(row.reinstatedCents),
    credit: BigInt(row.credit),
    prefund: BigInt(row.prefund),
    losses: BigInt(row.losses),
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

/** An order of the institution that moved a customer's money; its mint was found, or is given up. */
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
  const rows = await on.execute<Texts<Positioned<IbanFact>>>(sql`
    select o.processed_at::text as position, o.id, o.kind, o.currency, o.amount::text, coalesce(o.mint_hash, o.tx_hashes ->> 0) as hash,
      o.processed_at::text as at
    from iban_orders o
    where ${within(sql`o.processed_at`, span)} and o.state = 'processed' and o.currency in ('eur', 'gbp', 'usd')
      and (o.kind <> 'issue' or o.mint_hash is not null or o.unmatched_at is not null)
      and ${isUnposted(["mint", "redeem"], sql`o.id`)}
    order by o.processed_at, o.id limit ${span.limit}`);
  return rows.map((row) => ({ ...row, at: new Date(row.at), position: new Date(row.position) }));
}

/** A move of the treasury that arrived. */
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
  readonly at: Date;
}

export async function listUnpostedMoves(on: Executor, span: SourceSpan): Promise<Positioned<MoveFact>[]> {
  const rows = await on.execute<Texts<Positioned<MoveFact>>>(sql`
    select m.ended_at::text as position, m.id, m.kind, m.token, m.amount::text, m.hash, m.external_id as "externalId",
      m.ended_at::text as at,
      m.cause_id is not null or exists (select from treasury_moves fund where fund.cause_id = m.id) as "isLinked"
    from treasury_moves m
    where ${within(sql`m.ended_at`, span)} and m.status = 'DONE' and m.kind in ('sweep', 'redeem', 'fund', 'contribute')
      and m.amount > 0 and ${isUnposted(["treasury"], sql`m.id`)}
    order by m.ended_at, m.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** A posting of unannounced money, or of a top-up by a witness alone, whose event was posted after it. */
export interface ExplainedFact {
  readonly postingId: string;
  readonly cause: string;
  readonly lines: readonly NewLine[];
  readonly at: Date;
}

/** Postings of unannounced money of a span whose reference another posting of the account has by now. */
export async function listExplained(on: Executor, span: SourceSpan): Promise<Positioned<ExplainedFact>[]> {
  const rows = await on.execute<
    Texts<Positioned<Omit<ExplainedFact, "lines">>> & { lines: (Omit<NewLine, "amount"> & { amount: string })[] }
  >(sql`
    select u.booked_at::text as position, u.id::text as "postingId", u.cause, max(p.booked_at)::text as at,
      (select json_agg(json_build_object('account', l.account, 'currency', l.currency, 'amount', l.amount::text,
        'reference', l.reference) order by l.ordinal) from book_lines l where l.posting_id = u.id) as lines
    from book_postings u join book_lines own on own.posting_id = u.id and own.reference is not null
    join book_lines other on other.reference = own.reference and other.account = own.account and other.posting_id <> u.id
    join book_postings p on p.id = other.posting_id and p.type not in ('unannounced', 'top-up', 'unannounced-end')
    where ${within(sql`u.booked_at`, span)} and u.type in ('unannounced', 'top-up') and ${isUnposted(["unannounced-end"], sql`u.id::text`)}
    group by u.id order by u.booked_at, u.id limit ${span.limit}`);
  return rows.map(({ lines, ...row }) => ({
    ...row,
    lines: lines.map((line) => ({ ...line, amount: BigInt(line.amount) })),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** What a witness recorded, and no other posting explains. */
export interface WitnessFact {
  readonly witness: string;
  readonly reference: string;
  readonly ordinal: number;
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly kind: string;
  readonly at: Date;
}

/**
 * Entries of witnesses whose reference no line of the account has: the issuer's fees and top-ups, and what moved on chain
 * unannounced. `explained` are the kinds that other postings explain; what moved after `before` may still get its own.
 */
export async function listUnexplainedEntries(
  on: Executor,
  { witness, explained, before, ...span }: SourceSpan & { witness: string; explained: readonly string[]; before: Date },
): Promise<Positioned<WitnessFact>[]> {
  const rows = await on.execute<Texts<Positioned<WitnessFact>>>(sql`
    select w.created_at::text as position, w.witness, w.reference, w.ordinal, w.account, w.currency, w.amount::text, w.kind, w.at::text
    from book_witness_entries w
    where ${within(sql`w.created_at`, span)} and w.witness = ${witness} and w.amount <> 0
      and w.at < ${before.toISOString()}::timestamptz
      and w.kind not in (select json_array_elements_text(${JSON.stringify(explained)}::json))
      and not exists (select from book_lines l where l.reference = w.reference and l.account = w.account)
    order by w.created_at, w.reference, w.ordinal limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** When the first people came: nothing has to be posted from before. Null without anybody. */
export async function findFirstInstant(on: Executor): Promise<Date | null> {
  const [row] = await on.execute<{ at: string | null }>(sql`select min(created_at)::text as at from users`);
  return row?.at ? new Date(row.at) : null;
}
