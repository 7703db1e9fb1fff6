-- Postgres plans the body of a function in SQL at each call, and that of one in PL/pgSQL once per connection.
create or replace function has_receivers(given_user text) returns boolean language plpgsql stable set search_path = public, pg_temp as $$
begin
  return exists (select from subscriptions where user_id = given_user and ended_at is null)
    or exists (select from users u where u.id = given_user and u.partner_id is not null
      and not exists (select from subscriptions s where s.user_id = u.id and s.partner_id = u.partner_id));
end $$;
