/** Card money that the books post: entries of the ledger, clearings, credits, disputes. */
import type { Currency } from "@cardkeep/contract/core/currencies";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import type { clearingKinds } from "../../schema/spending/payments.ts";
import { isUnposted, type Positioned, type SourceSpan, type Texts, within } from "./spans.ts";

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
  readonly hash: Hex | null;
  /** When it moved on chain; without a record of that, when it was booked. */
  readonly at: Date;
}

export async function listUnpostedEntries(on: Executor, span: SourceSpan): Promise<Positioned<EntryFact>[]> {
  const rows = await on.execute<Texts<Positioned<EntryFact>>>(sql`
    select e.created_at::text as position, e.id, e.payment_id as "paymentId", s.token_symbol as token, e.safe::text, e.held::text, e.settlement::text,
      e.owed::text, e.written_off::text as "writtenOff", t.id as "transferId", t.hash, coalesce(
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

/** A payment of which the operator bears another amount than the books say: by its dispute, or returned by hand. */
export interface CreditFact {
  readonly paymentId: string;
  readonly disputeId: string | null;
  readonly currency: Currency;
  /** In base units: see `owedOf` of payments. */
  readonly credited: bigint;
  readonly byHand: bigint;
  readonly at: Date;
  /** Postings of that, and what all postings of the payment come to. */
  readonly postings: number;
  readonly bookedCredit: bigint;
  readonly bookedByHand: bigint;
}

export async function listCreditsToPost(on: Executor, span: SourceSpan): Promise<Positioned<CreditFact>[]> {
  const booked = (kind: string) => sql`coalesce(sum(l.amount) filter (where l.account like ${`${kind}:%`}), 0)`;
  const rows = await on.execute<Texts<Positioned<CreditFact>>>(sql`
    select n.at::text as position, p.id as "paymentId", c.dispute_id as "disputeId", p.billing_currency as currency,
      n.credited::text, h.by_hand::text as "byHand", n.at::text as at, b.postings,
      b.credited::text as "bookedCredit", b.by_hand::text as "bookedByHand"
    from (
      select coalesce(d.payment_id, t.payment_id) as payment_id, coalesce(d.user_id, t.user_id) as user_id,
        d.id as dispute_id, coalesce(t.returned, 0) as returned, greatest(d.updated_at, t.updated_at) as updated_at
      from card_disputes d full join (
        select payment_id, user_id, sum(amount) filter (where status = 'DONE') as returned, max(updated_at) as updated_at
        from card_transfers where is_by_hand group by payment_id, user_id) t on t.payment_id = d.payment_id) c
    -- Looked up one by one: they are few among all payments.
    cross join lateral (select * from card_payments where id = c.payment_id and user_id = c.user_id offset 0) p,
    lateral (select greatest(c.updated_at, p.updated_at) as at, least(p.credit, greatest(p.target, 0)) as credited) n,
    lateral (select least(c.returned, greatest(p.target, 0) - n.credited) as by_hand) h,
    lateral (select count(distinct posted.id) filter (where posted.type = 'credit')::int as postings,
        ${booked("provisional-credits")} as credited, ${booked("goodwill")} as by_hand
      from book_postings posted join book_lines l on l.posting_id = posted.id where posted.cause = p.id) b
    where ${within(sql`n.at`, span)} and (b.credited <> n.credited or b.by_hand <> h.by_hand)
    order by n.at, p.id limit ${span.limit}`);
  return rows.map((row) => ({
    ...row,
    credited: BigInt(row.credited),
    byHand: BigInt(row.byHand),
    bookedCredit: BigInt(row.bookedCredit),
    bookedByHand: BigInt(row.bookedByHand),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
}

/** A dispute whose money at the issuer, or whose loss, is not what the books say. */
export interface DisputeFact {
  readonly id: string;
  /** Null where the issuer does not have it: the loss of what was returned by law is all there is to post. */
  readonly issuerDisputeId: string | null;
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
      d.reinstated_cents::text as "reinstatedCents", r.credit::text, d.closed_at is not null as "isClosed",
      d.updated_at::text as at, b.postings, b.prefund::text, b.losses::text
    from card_disputes d join card_payments p on p.id = d.payment_id and p.user_id = d.user_id
    join safes s on s.id = p.safe_id,
    lateral (select count(distinct posted.id)::int as postings,
        coalesce(sum(l.amount) filter (where l.account like 'prefund:%'), 0) as prefund,
        coalesce(sum(l.amount) filter (where l.account like 'dispute-losses:%'), 0) as losses
      from book_postings posted join book_lines l on l.posting_id = posted.id
      where posted.type = 'dispute' and posted.cause = d.id) b,
    lateral (select d.reinstated_cents * case s.token_symbol when 'USDCe' then 1e4 else 1e16 end as reinstated,
        least(p.credit, greatest(p.target, 0)) as credit) r
    where (b.prefund <> r.reinstated
        or b.losses <> case when d.closed_at is null then 0 else greatest(r.credit - r.reinstated, 0) end) and ${within(sql`d.updated_at`, span)} and s.token_symbol is not null
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
