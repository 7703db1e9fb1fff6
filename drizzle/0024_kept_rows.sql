-- A snapshot from before a day was sealed shows no such day, so only a transaction that sees each commit may book or seal.
create or replace function book_period_open() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception '%: a transaction with a snapshot of its own books nothing', tg_table_name
      using errcode = 'check_violation', constraint = 'book_period_open';
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('cardkeep:books', 0));
  if exists (select from public.book_days where day >= new.period) then
    raise exception '%: % is sealed', tg_table_name, new.period
      using errcode = 'check_violation', constraint = 'book_period_open';
  end if;
  return new;
end $$;
--> statement-breakpoint
create or replace function book_days_seal() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'book_days: a transaction with a snapshot of its own seals nothing'
      using errcode = 'check_violation', constraint = 'book_days_seal';
  end if;
  -- Waits for commits that book under way. Later ones see the row.
  perform pg_advisory_xact_lock(hashtextextended('cardkeep:books', 0));
  if exists (select from book_days where day >= new.day)
    or (exists (select from book_days) and not exists (select from book_days where day = new.day - 1)) then
    raise exception 'book_days: % does not follow the last sealed day', new.day
      using errcode = 'check_violation', constraint = 'book_days_seal';
  end if;
  return new;
end $$;
--> statement-breakpoint
-- At the commit, as the end of the log follows the action.
create function operator_actions_follow() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.sequence < 1 or not exists (select from operator_chain where sequence >= new.sequence)
    or exists (select from operator_actions where sequence = new.sequence and id <> new.id) then
    raise exception 'operator_actions: % is not the action next of the log', new.sequence
      using errcode = 'check_violation', constraint = 'operator_actions_follow';
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger operator_actions_follow after insert on operator_actions
  deferrable initially deferred for each row execute function operator_actions_follow();
--> statement-breakpoint
create function relay_transactions_keep() returns trigger language plpgsql as $$
begin
  raise exception 'relay_transactions: % keeps its nonce', old.id
    using errcode = 'unique_violation', constraint = 'relay_transactions_nonce';
end $$;
--> statement-breakpoint
create trigger relay_transactions_keep before update of id, relayer, nonce on relay_transactions for each row
  when (old.id <> new.id or old.relayer <> new.relayer or old.nonce <> new.nonce) execute function relay_transactions_keep();
