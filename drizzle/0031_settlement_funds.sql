CREATE TABLE "settlement_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "settlement_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token" text NOT NULL,
	"amount" numeric(78,0) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlement_funds" (
	"token" text PRIMARY KEY NOT NULL,
	"folded" numeric(78,0) NOT NULL,
	"required" numeric(78,0) NOT NULL,
	"balance" numeric(78,0) NOT NULL,
	"short_since" timestamp with time zone,
	"compared_at" timestamp with time zone NOT NULL
);

--> statement-breakpoint
create or replace function ledger_entries_settlement() returns trigger language plpgsql as $$
begin
  insert into settlement_changes (token, amount)
    select token_symbol, new.amount from safes where id = new.safe_id and token_symbol is not null;
  return null;
end $$;
--> statement-breakpoint
create trigger ledger_entries_settlement after insert on ledger_entries
  for each row when (new.account = 'settlement') execute function ledger_entries_settlement();
--> statement-breakpoint
insert into settlement_changes (token, amount)
  select s.token_symbol, sum(e.amount) from ledger_entries e join safes s on s.id = e.safe_id
  where e.account = 'settlement' and s.token_symbol is not null group by 1;
