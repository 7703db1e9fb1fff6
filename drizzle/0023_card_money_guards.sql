create or replace function card_payments_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'REQUESTED' then return new; end if;
    raise exception 'card_payments: a row begins in REQUESTED, not in %', new.status
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
create or replace function ledger_entries_balance() returns trigger language plpgsql as $$
begin
  if (select sum(amount) from ledger_entries where journal = new.journal) <> 0 then
    raise exception 'ledger_entries: journal % does not sum to zero', new.journal
      using errcode = 'check_violation', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function ledger_entries_balance();
--> statement-breakpoint
create or replace function ledger_entries_keep() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_entries: what is booked stays'
    using errcode = 'check_violation', constraint = 'ledger_entries_keep';
end $$;
--> statement-breakpoint
create trigger ledger_entries_keep before update or delete on ledger_entries
  for each row execute function ledger_entries_keep();
