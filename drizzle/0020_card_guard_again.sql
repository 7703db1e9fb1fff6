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
      '1054 -> 1043',
      '1062 -> 1000',
      '1062 -> 1009',
      '1062 -> 1041',
      '1062 -> 1043',
      '1062 -> 1054'
  ) then return new; end if;
  raise exception 'cards: % -> % is not in the table', old.status_code, new.status_code
    using errcode = 'check_violation', constraint = 'cards_status_code_guard';
end $$;
--> statement-breakpoint
create or replace trigger cards_status_code_guard before insert or update of status_code on cards for each row execute function cards_status_code_guard();
