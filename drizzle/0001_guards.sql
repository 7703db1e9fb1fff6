create or replace function orders_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'PENDINGTRANSACTION' then return new; end if;
    raise exception 'orders: a row begins in PENDINGTRANSACTION, not in %', new.status
      using errcode = 'check_violation', constraint = 'orders_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'PENDINGTRANSACTION -> TRANSACTIONCOMPLETE',
      'PENDINGTRANSACTION -> READY',
      'PENDINGTRANSACTION -> FAILEDTRANSACTION',
      'PENDINGTRANSACTION -> CANCELLED',
      'TRANSACTIONCOMPLETE -> CONFIRMATIONREQUIRED',
      'TRANSACTIONCOMPLETE -> CANCELLED',
      'CONFIRMATIONREQUIRED -> PENDINGTRANSACTION',
      'CONFIRMATIONREQUIRED -> READY',
      'CONFIRMATIONREQUIRED -> CANCELLED',
      'READY -> PENDINGTRANSACTION',
      'READY -> CARDCREATED',
      'READY -> CANCELLED'
  ) then return new; end if;
  raise exception 'orders: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'orders_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger orders_status_guard before insert or update of status on orders for each row execute function orders_status_guard();
--> statement-breakpoint
create or replace function cards_status_code_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status_code = '1000' then return new; end if;
    raise exception 'cards: a row begins in 1000, not in %', new.status_code
      using errcode = 'check_violation', constraint = 'cards_status_code_guard';
  end if;
  if new.status_code = old.status_code or old.status_code || ' -> ' || new.status_code in (
      '1000 -> 1005',
      '1000 -> 1009',
      '1000 -> 1041',
      '1000 -> 1043',
      '1000 -> 1054',
      '1000 -> 1062',
      '1005 -> 1000',
      '1005 -> 1009',
      '1005 -> 1041',
      '1005 -> 1043',
      '1005 -> 1054',
      '1005 -> 1062',
      '1009 -> 1041',
      '1009 -> 1043',
      '1041 -> 1009',
      '1041 -> 1043',
      '1043 -> 1009',
      '1043 -> 1041',
      '1054 -> 1009',
      '1054 -> 1041',
      '1054 -> 1043'
  ) then return new; end if;
  raise exception 'cards: % -> % is not in the table', old.status_code, new.status_code
    using errcode = 'check_violation', constraint = 'cards_status_code_guard';
end $$;
--> statement-breakpoint
create or replace trigger cards_status_code_guard before insert or update of status_code on cards for each row execute function cards_status_code_guard();
--> statement-breakpoint
create or replace function ibans_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'NOTSTARTED' then return new; end if;
    raise exception 'ibans: a row begins in NOTSTARTED, not in %', new.status
      using errcode = 'check_violation', constraint = 'ibans_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'NOTSTARTED -> PENDING',
      'NOTSTARTED -> PENDING_OAUTH',
      'PENDING -> NOTSTARTED',
      'PENDING -> PENDING_OAUTH',
      'PENDING -> ASSIGNED',
      'PENDING_OAUTH -> NOTSTARTED',
      'PENDING_OAUTH -> PENDING',
      'ASSIGNED -> NOTSTARTED'
  ) then return new; end if;
  raise exception 'ibans: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'ibans_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger ibans_status_guard before insert or update of status on ibans for each row execute function ibans_status_guard();
--> statement-breakpoint
create or replace function card_payments_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status in ('REQUESTED', 'AUTHORIZED', 'DECLINED') then return new; end if;
    raise exception 'card_payments: a row begins in REQUESTED or AUTHORIZED or DECLINED, not in %', new.status
      using errcode = 'check_violation', constraint = 'card_payments_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'REQUESTED -> DECLINED',
      'REQUESTED -> AUTHORIZED',
      'REQUESTED -> REVERSED',
      'REQUESTED -> EXPIRED',
      'REQUESTED -> CLEARED',
      'REQUESTED -> CREDITED',
      'DECLINED -> AUTHORIZED',
      'DECLINED -> CLEARED',
      'AUTHORIZED -> DECLINED',
      'AUTHORIZED -> REVERSED',
      'AUTHORIZED -> EXPIRED',
      'AUTHORIZED -> CLEARED',
      'REVERSED -> CLEARED',
      'EXPIRED -> CLEARED'
  ) then return new; end if;
  raise exception 'card_payments: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'card_payments_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger card_payments_status_guard before insert or update of status on card_payments for each row execute function card_payments_status_guard();
--> statement-breakpoint
create or replace function card_transfers_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'PLANNED' then return new; end if;
    raise exception 'card_transfers: a row begins in PLANNED, not in %', new.status
      using errcode = 'check_violation', constraint = 'card_transfers_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'PLANNED -> SIGNED',
      'PLANNED -> DONE',
      'PLANNED -> FAILED',
      'SIGNED -> PLANNED',
      'SIGNED -> DONE',
      'SIGNED -> FAILED',
      'DONE -> PLANNED',
      'DONE -> SIGNED',
      'FAILED -> PLANNED',
      'FAILED -> SIGNED'
  ) then return new; end if;
  raise exception 'card_transfers: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'card_transfers_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger card_transfers_status_guard before insert or update of status on card_transfers for each row execute function card_transfers_status_guard();
--> statement-breakpoint
create or replace function card_disputes_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'requested' then return new; end if;
    raise exception 'card_disputes: a row begins in requested, not in %', new.status
      using errcode = 'check_violation', constraint = 'card_disputes_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'requested -> created',
      'requested -> expired',
      'requested -> refused',
      'requested -> withdrawn',
      'created -> submitted',
      'created -> won',
      'created -> lost',
      'created -> expired',
      'created -> taken_back',
      'created -> withdrawn',
      'submitted -> won',
      'submitted -> lost',
      'submitted -> expired',
      'submitted -> taken_back',
      'won -> lost',
      'won -> taken_back',
      'lost -> won',
      'lost -> taken_back',
      'expired -> created',
      'expired -> submitted',
      'expired -> won',
      'expired -> lost',
      'taken_back -> won',
      'taken_back -> lost'
  ) then return new; end if;
  raise exception 'card_disputes: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'card_disputes_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger card_disputes_status_guard before insert or update of status on card_disputes for each row execute function card_disputes_status_guard();
--> statement-breakpoint
create function ledger_entries_keep() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_entries: what is booked stays'
    using errcode = 'check_violation', constraint = 'ledger_entries_keep';
end $$;
--> statement-breakpoint
create trigger ledger_entries_keep before update or delete on ledger_entries
  for each row execute function ledger_entries_keep();
--> statement-breakpoint
create trigger ledger_entries_truncate before truncate on ledger_entries
  for each statement execute function ledger_entries_keep();
--> statement-breakpoint
create function relay_transactions_claim() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into relay_nonces (relayer, nonce, relay_transaction_id) values (new.relayer, new.nonce, new.id)
      on conflict do nothing;
    if not exists (select from relay_nonces
        where relayer = new.relayer and nonce = new.nonce and relay_transaction_id = new.id) then
      raise exception 'relay_transactions: nonce % of % is taken', new.nonce, new.relayer
        using errcode = 'unique_violation', constraint = 'relay_transactions_nonce';
    end if;
  end if;
  if new.status in ('SIGNED', 'ROLLED_BACK') then
    insert into open_relays (relay_transaction_id, relayer, nonce, purpose, subject_id, status, request_id)
      values (new.id, new.relayer, new.nonce, new.purpose, new.subject_id, new.status, new.request_id)
      on conflict (relay_transaction_id) do update set status = excluded.status;
  elsif tg_op = 'UPDATE' then
    delete from open_relays where relay_transaction_id = new.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger relay_transactions_claim after insert or update of status on relay_transactions
  for each row execute function relay_transactions_claim();
--> statement-breakpoint
create table card_payments_default partition of card_payments default;
--> statement-breakpoint
create table card_clearings_default partition of card_clearings default;
--> statement-breakpoint
create table card_decisions_default partition of card_decisions default;
--> statement-breakpoint
create table card_transfers_default partition of card_transfers default;
--> statement-breakpoint
create table ledger_entries_default partition of ledger_entries default;
--> statement-breakpoint
create table relay_transactions_default partition of relay_transactions default;
--> statement-breakpoint
create table relay_attempts_default partition of relay_attempts default;
--> statement-breakpoint
create table events_default partition of events default;
--> statement-breakpoint
create table deliveries_default partition of deliveries default;
--> statement-breakpoint
create table delivery_attempts_default partition of delivery_attempts default;
--> statement-breakpoint
create table operator_actions_default partition of operator_actions default;
--> statement-breakpoint
do $$ begin
  for remainder in 0..7 loop
    execute format('create table card_threads_%s partition of card_threads for values with (modulus 8, remainder %s)', remainder, remainder);
    execute format('create table relay_nonces_%s partition of relay_nonces for values with (modulus 8, remainder %s)', remainder, remainder);
  end loop;
end $$;
--> statement-breakpoint
create function operator_actions_keep() returns trigger language plpgsql as $$
begin
  raise exception '%: an action that was recorded stays', tg_table_name
    using errcode = 'check_violation', constraint = tg_table_name || '_keep';
end $$;
--> statement-breakpoint
create trigger operator_actions_keep before update or delete on operator_actions
  for each row execute function operator_actions_keep();
--> statement-breakpoint
create trigger operator_actions_truncate before truncate on operator_actions
  for each statement execute function operator_actions_keep();
--> statement-breakpoint
create trigger operator_actions_truncate before truncate on operator_actions_default
  for each statement execute function operator_actions_keep();
--> statement-breakpoint
create function operator_chain_advance() returns trigger language plpgsql as $$
begin
  if new.sequence = old.sequence + 1
    and exists (select from operator_actions where sequence = new.sequence and hash = new.hash and previous_hash = old.hash)
  then return new; end if;
  raise exception 'operator_chain: it advances by one recorded action'
    using errcode = 'check_violation', constraint = 'operator_chain_advance';
end $$;
--> statement-breakpoint
insert into operator_chain (id, sequence, hash) values (1, 0, repeat('0', 64));
--> statement-breakpoint
create trigger operator_chain_advance before update on operator_chain
  for each row execute function operator_chain_advance();
--> statement-breakpoint
create trigger operator_chain_keep before delete on operator_chain
  for each row execute function operator_actions_keep();
--> statement-breakpoint
create trigger operator_chain_truncate before truncate on operator_chain
  for each statement execute function operator_actions_keep();
--> statement-breakpoint
create function operator_approvals_decide() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status = 'WAITING' and new.status <> 'WAITING'
    and (to_jsonb(new) - '{status,decided_by_id,decided_by_name,decided_at}'::text[])
      = (to_jsonb(old) - '{status,decided_by_id,decided_by_name,decided_at}'::text[])
  then return new; end if;
  raise exception 'operator_approvals: a request is decided once, and nothing else of it changes'
    using errcode = 'check_violation', constraint = 'operator_approvals_decide';
end $$;
--> statement-breakpoint
create trigger operator_approvals_decide before update or delete on operator_approvals
  for each row execute function operator_approvals_decide();
--> statement-breakpoint
create trigger operator_approvals_truncate before truncate on operator_approvals
  for each statement execute function operator_actions_keep();
--> statement-breakpoint
create function has_receivers(given_user text) returns boolean language sql stable set search_path = public as $$
  select exists (select from subscriptions where user_id = given_user and ended_at is null)
    or exists (select from users u where u.id = given_user and u.partner_id is not null
      and not exists (select from subscriptions s where s.user_id = u.id and s.partner_id = u.partner_id))
$$;
--> statement-breakpoint
create function hand_out(given_id text, given_user text, given_type text, given_request text, given_at timestamptz)
  returns boolean language plpgsql set search_path = public as $$
declare
  about_kind text := case given_type
    when 'card.transaction.created' then 'payments'
    when 'card.transaction.declined' then 'declines'
    when 'card.transaction.refunded' then 'refunds'
    when 'card.transaction.reversed' then 'refunds'
    when 'account.withdrawal.completed' then 'withdrawals'
    when 'account.withdrawal.failed' then 'withdrawals'
    when 'physical.card.order.status.changed' then 'cards' end;
begin
  if about_kind is not null then
    insert into user_messages (id, user_id, kind, about, subject_id, request_id, created_at)
      select given_id, id, about_kind, 'event', given_id, given_request, given_at from users
      where id = given_user and erased_at is null and message_choices ->> about_kind <> 'none'
      on conflict do nothing;
  end if;
  return has_receivers(given_user);
end $$;
--> statement-breakpoint
create function write_decision(given_payment json, given_decision json, given_transfer json, given_entry json, given_event json)
  returns boolean language plpgsql as $$
declare
  payment card_payments := json_populate_record(null::card_payments, given_payment);
  decision card_decisions := json_populate_record(null::card_decisions, given_decision);
  transfer card_transfers := json_populate_record(null::card_transfers, given_transfer);
  entry ledger_entries := json_populate_record(null::ledger_entries, given_entry);
  event events := json_populate_record(null::events, given_event);
begin
  insert into card_payments (
      id, thread_id, user_id, safe_id, card_id, status, decline_result, decline_reason, authorized_cents, reversed_cents,
      captured_cents, refunded_cents, billing_currency, merchant_minor, captured_minor, merchant_currency, merchant_name,
      merchant_city, merchant_country, mcc, merchant_network_id, channel, transaction_type, wallet_token_id, three_d_secure,
      authentication_exemption, target, owed, set_off, credit, excess_cents, hold_ended_at, matched_thread_id, version,
      request_id, created_at, cleared_at, updated_at)
    values (
      payment.id, payment.thread_id, payment.user_id, payment.safe_id, payment.card_id, payment.status, payment.decline_result,
      payment.decline_reason, payment.authorized_cents, payment.reversed_cents, payment.captured_cents, payment.refunded_cents,
      payment.billing_currency, payment.merchant_minor, payment.captured_minor, payment.merchant_currency,
      payment.merchant_name, payment.merchant_city, payment.merchant_country, payment.mcc, payment.merchant_network_id,
      payment.channel, payment.transaction_type, payment.wallet_token_id, payment.three_d_secure,
      payment.authentication_exemption, payment.target, payment.owed, payment.set_off, payment.credit, payment.excess_cents,
      payment.hold_ended_at, payment.matched_thread_id, payment.version, payment.request_id, payment.created_at,
      payment.cleared_at, payment.updated_at);
  insert into card_decisions (
      payment_id, ordinal, user_id, asked_cents, approved_cents, fee_cents, cashback_cents, is_approved, reason, is_by_issuer,
      created_at)
    values (
      decision.payment_id, decision.ordinal, decision.user_id, decision.asked_cents, decision.approved_cents,
      decision.fee_cents, decision.cashback_cents, decision.is_approved, decision.reason, decision.is_by_issuer,
      decision.created_at);
  if transfer.id is not null then
    insert into live_transfers (id, payment_id, ordinal, user_id, safe_id, direction, amount, is_collection, message_hash,
        status, request_id, created_at)
      values (transfer.id, transfer.payment_id, transfer.ordinal, transfer.user_id, transfer.safe_id, transfer.direction,
        transfer.amount, transfer.is_collection, transfer.message_hash, transfer.status, transfer.request_id, transfer.created_at)
      returning sequence into transfer.sequence;
    insert into card_transfers (
        id, sequence, payment_id, ordinal, user_id, safe_id, clearing_id, direction, amount, is_collection, is_by_hand,
        dispute_id, "to", data, salt, message_hash, status, hash, ended_block, reason, request_id, created_at, updated_at)
      values (
        transfer.id, transfer.sequence, transfer.payment_id, transfer.ordinal, transfer.user_id, transfer.safe_id,
        transfer.clearing_id, transfer.direction, transfer.amount, transfer.is_collection, transfer.is_by_hand,
        transfer.dispute_id, transfer."to", transfer.data, transfer.salt, transfer.message_hash, transfer.status, transfer.hash,
        transfer.ended_block, transfer.reason, transfer.request_id, transfer.created_at, transfer.updated_at);
    insert into ledger_entries (
        id, payment_id, ordinal, user_id, safe_id, safe, held, settlement, owed, advanced, created_at)
      values (
        entry.id, entry.payment_id, entry.ordinal, entry.user_id, entry.safe_id, entry.safe, entry.held, entry.settlement,
        entry.owed, entry.advanced, entry.created_at);
  end if;
  event.is_pending := hand_out(event.id, event.user_id, event.event_type, event.request_id, event.created_at);
  insert into events (id, user_id, request_id, event_type, data, is_pending, created_at)
    values (event.id, event.user_id, event.request_id, event.event_type, event.data, event.is_pending, event.created_at);
  return event.is_pending;
end $$;
--> statement-breakpoint
create function name_month(given_table text, given_month text) returns text language plpgsql immutable set search_path = pg_catalog as $$
begin
  if given_table is null or given_table not in ('card_payments', 'card_clearings', 'card_decisions', 'card_transfers',
      'ledger_entries', 'relay_transactions', 'relay_attempts', 'events', 'deliveries', 'delivery_attempts', 'operator_actions') then
    raise exception '%: no table with months', given_table using errcode = 'invalid_parameter_value';
  end if;
  if given_month is null or given_month !~ '^[0-9]{4}-(0[1-9]|1[0-2])$' then
    raise exception '%: no month', given_month using errcode = 'invalid_parameter_value';
  end if;
  return given_table || '_' || replace(given_month, '-', '_');
end $$;
--> statement-breakpoint
create function bound_month(given_table text, given_at timestamptz) returns text language plpgsql immutable set search_path = pg_catalog as $$
declare
  digits text := lpad(to_hex((extract(epoch from given_at) * 1000)::bigint), 12, '0');
begin
  if given_table in ('deliveries', 'delivery_attempts') then return 'msg_' || digits; end if;
  return left(digits, 8) || '-' || right(digits, 4);
end $$;
--> statement-breakpoint
create function make_month(given_table text, given_month text) returns void language plpgsql set search_path = pg_catalog as $$
begin
  execute format('create table public.%I (like public.%I including defaults including constraints)',
    public.name_month(given_table, given_month), given_table);
  -- A statement that empties a part does not run the whole table's trigger.
  if given_table = 'operator_actions' then
    execute format('create trigger operator_actions_truncate before truncate on public.%I
      for each statement execute function public.operator_actions_keep()', public.name_month(given_table, given_month));
  end if;
end $$;
--> statement-breakpoint
create function join_month(given_table text, given_month text) returns void language plpgsql set search_path = pg_catalog as $$
declare
  first timestamptz := (given_month || '-01T00:00:00Z')::timestamptz;
  next timestamptz := (first at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
  execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', given_table,
    public.name_month(given_table, given_month), public.bound_month(given_table, first), public.bound_month(given_table, next));
end $$;
--> statement-breakpoint
create function add_month(given_table text, given_month text) returns void
  language plpgsql security definer set search_path = pg_catalog as $$
begin
  if exists (select from pg_class where relname = public.name_month(given_table, given_month)
      and relnamespace = 'public'::regnamespace) then return; end if;
  perform public.make_month(given_table, given_month);
  perform public.join_month(given_table, given_month);
end $$;
--> statement-breakpoint
create function require_past_month(given_table text, given_month text) returns void language plpgsql set search_path = pg_catalog as $$
begin
  if given_table = 'operator_actions' then
    raise exception 'operator_actions: an action that was recorded stays' using errcode = 'invalid_parameter_value';
  end if;
  if given_month < to_char((now() at time zone 'UTC') - interval '2 months', 'YYYY-MM') then return; end if;
  raise exception '%: only a month that ended two months ago leaves or enters the database', given_month
    using errcode = 'invalid_parameter_value';
end $$;
--> statement-breakpoint
create function lock_month(given_table text, given_month text) returns void
  language plpgsql security definer set search_path = pg_catalog as $$
begin
  execute format('lock table only public.%I in share row exclusive mode', public.name_month(given_table, given_month));
end $$;
--> statement-breakpoint
create function drop_month(given_table text, given_month text) returns void
  language plpgsql security definer set search_path = pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform public.require_past_month(given_table, given_month);
  execute format('alter table public.%I detach partition public.%I', given_table, public.name_month(given_table, given_month));
  execute format('drop table public.%I', public.name_month(given_table, given_month));
end $$;
--> statement-breakpoint
create function begin_month(given_table text, given_month text) returns void
  language plpgsql security definer set search_path = pg_catalog as $$
begin
  perform public.require_past_month(given_table, given_month);
  execute format('create table public.%I (like public.%I including defaults including constraints including indexes)',
    public.name_month(given_table, given_month), given_table);
  execute format('grant select, insert on public.%I to %I', public.name_month(given_table, given_month), session_user);
end $$;
--> statement-breakpoint
create function end_month(given_table text, given_month text) returns void
  language plpgsql security definer set search_path = pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform public.require_past_month(given_table, given_month);
  execute format('revoke select, insert on public.%I from %I', public.name_month(given_table, given_month), session_user);
  perform public.join_month(given_table, given_month);
  -- The lock on users that its reference took holds off erasures until the commit. They blank the same columns.
  if given_table = 'card_payments' then
    execute format('update public.%I set merchant_name = null, merchant_city = null, merchant_network_id = null
      where user_id in (select id from public.users where erased_at is not null)', public.name_month(given_table, given_month));
  end if;
end $$;
--> statement-breakpoint
revoke execute on function add_month, lock_month, drop_month, begin_month, end_month from public;
