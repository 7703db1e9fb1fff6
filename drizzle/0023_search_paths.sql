-- Postgres looks for relations and types among a session's temporary objects first, unless the search path names them last.
alter function has_receivers(text) set search_path = public, pg_temp;
--> statement-breakpoint
alter function hand_out(text, text, text, text, timestamptz) set search_path = public, pg_temp;
--> statement-breakpoint
alter function relay_transactions_claim() set search_path = public, pg_temp;
--> statement-breakpoint
alter function operator_chain_advance() set search_path = public, pg_temp;
--> statement-breakpoint
alter function operator_approvals_decide() set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function book_days_seal() set search_path = public, pg_temp;
--> statement-breakpoint
alter function book_lines_balance() set search_path = public, pg_temp;
--> statement-breakpoint
alter function name_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function bound_month(text, timestamptz) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function make_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function join_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function require_past_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function add_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function lock_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function drop_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function begin_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
alter function end_month(text, text) set search_path = pg_catalog, pg_temp;
--> statement-breakpoint
-- These run for each row that is booked and each decision. A path of their own would cost each call, so they name schemas instead.
create or replace function book_period_open() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('cardkeep:books', 0));
  if exists (select from public.book_days where day >= new.period) then
    raise exception '%: % is sealed', tg_table_name, new.period
      using errcode = 'check_violation', constraint = 'book_period_open';
  end if;
  return new;
end $$;
--> statement-breakpoint
create or replace function book_postings_balance() returns trigger language plpgsql as $$
begin
  if not exists (select from public.book_lines where posting_id = new.id)
    or exists (select from public.book_lines where posting_id = new.id group by currency having sum(amount) <> 0) then
    raise exception 'book_postings: % has no lines that sum to zero', new.id
      using errcode = 'check_violation', constraint = 'book_postings_balance';
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function write_decision(given_payment json, given_decision json, given_transfer json, given_entry json, given_event json)
  returns boolean language plpgsql as $$
declare
  payment public.card_payments := json_populate_record(null::public.card_payments, given_payment);
  decision public.card_decisions := json_populate_record(null::public.card_decisions, given_decision);
  transfer public.card_transfers := json_populate_record(null::public.card_transfers, given_transfer);
  entry public.ledger_entries := json_populate_record(null::public.ledger_entries, given_entry);
  event public.events := json_populate_record(null::public.events, given_event);
begin
  insert into public.card_payments (
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
  insert into public.card_decisions (
      payment_id, ordinal, user_id, asked_cents, approved_cents, fee_cents, cashback_cents, is_approved, reason, is_by_issuer,
      created_at)
    values (
      decision.payment_id, decision.ordinal, decision.user_id, decision.asked_cents, decision.approved_cents,
      decision.fee_cents, decision.cashback_cents, decision.is_approved, decision.reason, decision.is_by_issuer,
      decision.created_at);
  if transfer.id is not null then
    insert into public.live_transfers (id, payment_id, ordinal, user_id, safe_id, direction, amount, is_collection, message_hash,
        status, request_id, created_at)
      values (transfer.id, transfer.payment_id, transfer.ordinal, transfer.user_id, transfer.safe_id, transfer.direction,
        transfer.amount, transfer.is_collection, transfer.message_hash, transfer.status, transfer.request_id, transfer.created_at)
      returning sequence into transfer.sequence;
    insert into public.card_transfers (
        id, sequence, payment_id, ordinal, user_id, safe_id, clearing_id, direction, amount, is_collection, is_by_hand,
        dispute_id, "to", data, salt, message_hash, status, hash, ended_block, reason, request_id, created_at, updated_at)
      values (
        transfer.id, transfer.sequence, transfer.payment_id, transfer.ordinal, transfer.user_id, transfer.safe_id,
        transfer.clearing_id, transfer.direction, transfer.amount, transfer.is_collection, transfer.is_by_hand,
        transfer.dispute_id, transfer."to", transfer.data, transfer.salt, transfer.message_hash, transfer.status, transfer.hash,
        transfer.ended_block, transfer.reason, transfer.request_id, transfer.created_at, transfer.updated_at);
    insert into public.ledger_entries (
        id, payment_id, ordinal, user_id, safe_id, safe, held, settlement, owed, advanced, created_at)
      values (
        entry.id, entry.payment_id, entry.ordinal, entry.user_id, entry.safe_id, entry.safe, entry.held, entry.settlement,
        entry.owed, entry.advanced, entry.created_at);
  end if;
  event.is_pending := public.hand_out(event.id, event.user_id, event.event_type, event.request_id, event.created_at);
  insert into public.events (id, user_id, request_id, event_type, data, is_pending, created_at)
    values (event.id, event.user_id, event.request_id, event.event_type, event.data, event.is_pending, event.created_at);
  return event.is_pending;
end $$;
