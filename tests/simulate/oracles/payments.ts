/** What must hold of each payment after every commit: its amounts follow from its clearings, and its transfers from its amounts. */
import type { WorldDatabase } from "../worldDatabase.ts";
import { type OracleName, say } from "./names.ts";

/** A commit that wrote one of these is looked at. */
export const paymentTables =
  /\b(?:(?:insert into|update) "?(?:card_payments|card_transfers|card_clearings|ledger_entries)|write_decision)\b/;

/** Base units of a cent. */
const unit = "10000000000000000";

/** Of each payment the oracle that complains, what is, and what should be. Written from the words of the columns, not from the program. */
const question = `
  with cleared as (
    select payment_id, sum(case kind when 'capture' then amount_cents when 'capture_reversal' then -amount_cents else 0 end) as captured,
      sum(case kind when 'refund' then amount_cents when 'refund_reversal' then -amount_cents else 0 end) as refunded,
      coalesce(sum(amount_cents) filter (where kind = 'capture'), 0) as once,
      max(created_at) filter (where kind in ('capture', 'refund_reversal')) as raised_at
    from card_clearings group by payment_id),
  moved as (
    select payment_id, coalesce(sum(signed) filter (where status <> 'FAILED'), 0) as planned,
      coalesce(sum(signed) filter (where status = 'DONE'), 0) as done,
      coalesce(sum(amount) filter (where is_spend and status in ('PLANNED', 'SIGNED')), 0) as held,
      coalesce(sum(amount) filter (where is_by_hand and status <> 'FAILED'), 0) as by_hand,
      coalesce(bool_or(is_spend and status = 'FAILED'), false) as has_failed,
      max(created_at) filter (where not is_spend and status <> 'FAILED') as returned_at
    from (select *, direction = 'spend' as is_spend, case direction when 'spend' then amount else -amount end as signed from card_transfers) t
    group by payment_id),
  booked as (select payment_id, sum(held) as held, sum(owed) as owed, sum(written_off) as lost from ledger_entries group by payment_id),
  given_back as (
    select p.*, coalesce(m.planned, 0) as planned, coalesce(m.done, 0) as done, coalesce(m.held, 0) as held, coalesce(m.has_failed, false) as has_failed,
      coalesce(b.held, 0) as booked, coalesce(b.owed, 0) as booked_owed, coalesce(b.lost, 0) as booked_lost, coalesce(c.captured, 0) as captures, coalesce(c.refunded, 0) as refunds, coalesce(c.once, 0) as once,
      -- What was taken back since is a debt.
      coalesce(m.returned_at > c.raised_at, m.returned_at is not null) as is_returned_last,
      -- A reorganisation revived a spend whose debt is collected meanwhile: what is too much goes back once both have ended.
      exists (select from card_transfers c join card_transfers r on r.payment_id = c.payment_id and r.ordinal < c.ordinal
        where c.payment_id = p.id and c.is_collection and c.status <> 'FAILED'
          and r.direction = 'spend' and not r.is_collection and r.status in ('PLANNED', 'SIGNED')) as is_revived,
      p.target - p.set_off - least(coalesce(m.by_hand, 0) + p.credit, greatest(p.target, 0)) as due
    from card_payments p left join cleared c on c.payment_id = p.id left join moved m on m.payment_id = p.id left join booked b on b.payment_id = p.id),
  aimed as (
    select *, due - least(written_off, greatest(due - planned, 0)) as aim, captured_cents - refunded_cents as kept,
      captured_cents - refunded_cents + case when status in ('AUTHORIZED', 'CLEARED') then greatest(authorized_cents - reversed_cents - once, 0) else 0 end as wanted
    from given_back)
  select id, status, 'clearings' as oracle, captured_cents || ' captured and ' || refunded_cents || ' refunded' as is, captures || ' and ' || refunds as wanted
    from aimed where captured_cents <> captures or refunded_cents <> refunds
  union all select id, status, 'targets', (target / ${unit})::text, wanted::text from aimed
    -- The issuer may open one again that was cleared, which no machine knows.
    where target <> wanted * ${unit}::numeric and (status <> 'CLEARED' or target <> kept * ${unit}::numeric)
      -- An increment is held whole until its report, which counts what was captured beyond the approval before. The issuer may end
      -- an authorization at its first amount, after a part of it was reversed.
      and not (status = 'AUTHORIZED' and target > wanted * ${unit}::numeric
        and target <= (wanted + greatest(excess_cents, reversed_cents)) * ${unit}::numeric)
  union all select id, status, 'targets', reversed_cents || ' reversed', authorized_cents::text
    from aimed where status = 'REVERSED' and captured_cents = 0 and once = 0 and reversed_cents <> authorized_cents
  union all select id, status, 'holds', booked::text, held::text from aimed where booked <> held
  union all select id, status, 'transfers', planned || ' planned', aim::text from aimed where not has_failed and planned <> aim
    and not (is_revived and planned > aim)
  union all select id, status, 'transfers', planned || ' planned after a failure', 'at most ' || aim from aimed
    where has_failed and ((planned > aim and not is_revived) or (planned < least(aim, 0) and is_returned_last))
  union all select id, status, 'debts', owed::text, case when has_failed then greatest(aim - done, 0) else 0 end::text from aimed
    where owed <> case when has_failed then greatest(aim - done, 0) else 0 end
  union all select id, status, 'debts', booked_owed || ' booked', owed::text from aimed where booked_owed <> owed
  union all select id, status, 'debts', booked_lost || ' booked as given up', (due - aim)::text from aimed where booked_lost <> due - aim
  union all select t.payment_id, t.status, 'transfers', t.id || ' planned blindly', 'a collection'
    from card_transfers t join card_transfers f on f.payment_id = t.payment_id and f.direction = 'spend' and f.status = 'FAILED'
    where t.direction = 'spend' and not t.is_collection and t.ordinal > f.ordinal and t.status <> 'FAILED' and t.created_at >= f.updated_at
  order by 1, 3, 4`;

interface Fault {
  id: string;
  status: string;
  oracle: OracleName;
  is: string;
  wanted: string;
}

export async function findUntrue({ ask }: Pick<WorldDatabase, "ask">): Promise<string[]> {
  const rows = await ask.unsafe<Fault[]>(question);
  return rows.map(({ id, status, oracle, is, wanted }) =>
    say(oracle, `payment ${id} (${status}) has ${is}, and not ${wanted}`),
  );
}
