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
