/** What goes back to people: the past days' returns, and credits that may be taken back. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { openDisputeStatuses } from "../../schema/spending/disputes.ts";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { spell } from "../../schema/columns.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import { firstIdAt } from "../../timeIds.ts";
import { finalTransfersText } from "../../schema/spending/transfers.ts";

/** Returns of a token, in its base units. */
export interface ReturnSums {
  /** Since the instant. */
  returned: bigint;
  largest: bigint;
  /** The most of any clock hour. */
  peakHour: bigint;
  /** Planned or under way. */
  open: bigint;
}

const none: ReturnSums = { returned: 0n, largest: 0n, peakHour: 0n, open: 0n };

/** A merchant may return money of a payment that is so much older. */
const paymentDaysMax = 62;

/** Reads the returns since an instant, by token. */
export async function sumReturns(on: Executor, since: Date): Promise<(token: SettlementToken) => ReturnSums> {
  const first = firstIdAt(since.getTime() - paymentDaysMax * dayMs);
  const rows = await on.execute<{
    token: SettlementToken;
    returned: string;
    largest: string;
    peak: string;
    open: string;
  }>(sql`
    with done as (
      select s.token_symbol as token, t.amount, date_trunc('hour', t.updated_at) as hour
      from card_transfers t join safes s on s.id = t.safe_id
      where t.payment_id >= ${first} and t.direction = 'return' and t.status = 'DONE'
        and t.updated_at >= ${since.toISOString()}::timestamptz),
    hours as (select token, sum(amount) as amount from done group by token, hour),
    open as (
      select s.token_symbol as token, sum(t.amount) as amount from live_transfers t join safes s on s.id = t.safe_id
      where t.direction = 'return' and t.status not in (${sql.raw(finalTransfersText)}) group by s.token_symbol)
    select known.token,
      coalesce((select sum(amount) from done where done.token = known.token), 0)::text as returned,
      coalesce((select max(amount) from done where done.token = known.token), 0)::text as largest,
      coalesce((select max(amount) from hours where hours.token = known.token), 0)::text as peak,
      coalesce((select amount from open where open.token = known.token), 0)::text as open
    from unnest(array['EURe', 'GBPe', 'USDCe']) as known(token)`);
  const found = new Map(
    rows.map(({ token, returned, largest, peak, open }) => [
      token,
      { returned: BigInt(returned), largest: BigInt(largest), peakHour: BigInt(peak), open: BigInt(open) },
    ]),
  );
  return (token) => found.get(token) ?? none;
}

/** Cents by currency that people have back for open disputes, beyond what the issuer returned. */
export async function sumOpenCredits(on: Executor): Promise<Map<string, bigint>> {
  const rows = await on.execute<{ currency: string; cents: string }>(sql`
    select p.billing_currency as currency, sum(greatest(d.credit_cents - d.reinstated_cents, 0))::text as cents
    from card_disputes d join card_payments p on p.id = d.payment_id and p.user_id = d.user_id
    where d.status in (${sql.raw(spell(openDisputeStatuses))}) and d.credit_cents > 0 group by p.billing_currency`);
  return new Map(rows.map(({ currency, cents }) => [currency, BigInt(cents)]));
}

/** Cents that cards spent in each hour of the week, on average of the past weeks: 168 numbers from Monday 0:00 UTC on. */
export async function readWeekPattern(
  on: Executor,
  { since, weeks }: { since: Date; weeks: number },
): Promise<Map<string, bigint[]>> {
  const rows = await on.execute<{ currency: string; slot: number; cents: string }>(sql`
    select billing_currency as currency,
      ((extract(isodow from created_at at time zone 'utc')::int - 1) * 24 + extract(hour from created_at at time zone 'utc')::int) as slot,
      sum(authorized_cents - reversed_cents)::text as cents
    from card_payments
    where id >= ${firstIdAt(since.getTime())} and created_at >= ${since.toISOString()}::timestamptz
      and status in ('AUTHORIZED', 'CLEARED') group by 1, 2`);
  const found = new Map<string, bigint[]>();
  for (const { currency, slot, cents } of rows) {
    const week = found.get(currency) ?? Array.from({ length: 168 }, () => 0n);
    week[slot] = BigInt(cents) / BigInt(weeks);
    found.set(currency, week);
  }
  return found;
}

/** What cards moved since an instant. */
export interface DayFlow {
  /** Base units from Safes to the settlement account, and back. */
  spent: bigint;
  returned: bigint;
  /** Net of refunds. */
  capturedCents: bigint;
}

/** Reads what cards moved since an instant, by currency. */
export async function readDayFlows(on: Executor, since: Date): Promise<Map<string, DayFlow>> {
  const first = firstIdAt(since.getTime() - paymentDaysMax * dayMs);
  const at = sql`${since.toISOString()}::timestamptz`;
  const rows = await on.execute<{ currency: string; spent: string; returned: string; captured: string }>(sql`
    with moved as (
      select p.billing_currency as currency, t.direction, sum(t.amount) as amount from card_transfers t
        join card_payments p on p.id = t.payment_id and p.user_id = t.user_id
      where t.payment_id >= ${first} and t.status = 'DONE' and t.updated_at >= ${at} group by 1, 2),
    captured as (
      select p.billing_currency as currency, sum(p.captured_cents - p.refunded_cents) as cents from card_payments p
      where p.id >= ${first} and p.cleared_at >= ${at} group by 1)
    select known.currency,
      coalesce((select amount from moved where moved.currency = known.currency and direction = 'spend'), 0)::text as spent,
      coalesce((select amount from moved where moved.currency = known.currency and direction = 'return'), 0)::text as returned,
      coalesce((select cents from captured where captured.currency = known.currency), 0)::text as captured
    from unnest(array['EUR', 'GBP', 'USD']) as known(currency)`);
  return new Map(
    rows.map(({ currency, spent, returned, captured }) => [
      currency,
      { spent: BigInt(spent), returned: BigInt(returned), capturedCents: BigInt(captured) },
    ]),
  );
}
