ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_account";--> statement-breakpoint
ALTER TABLE "card_payments" ADD COLUMN "owed" numeric(78,0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "card_payments" ADD COLUMN "excess_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD COLUMN "is_collection" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "card_payments_owed" ON "card_payments" USING btree ("user_id","created_at") WHERE "card_payments"."owed" > 0;--> statement-breakpoint
CREATE INDEX "card_transfers_collections" ON "card_transfers" USING btree ("safe_id","sequence") WHERE "card_transfers"."is_collection";--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_debt" CHECK ("card_payments"."owed" >= 0 and "card_payments"."excess_cents" >= 0);--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_account" CHECK ("ledger_entries"."account" in ('safe', 'held', 'settlement', 'owed', 'advanced'));--> statement-breakpoint
with debts as (
  select p.id, p.target - sum(case when t.status <> 'DONE' then 0 when t.direction = 'spend' then t.amount else -t.amount end) as owed
  from card_payments p join card_transfers t on t.payment_id = p.id
  group by p.id having bool_or(t.status = 'FAILED' and t.direction = 'spend'))
update card_payments p set owed = debts.owed from debts where debts.id = p.id and debts.owed > 0;
--> statement-breakpoint
insert into ledger_entries (journal, account, transfer_id, safe_id, amount, created_at)
select 'debt:' || p.id, side.account, (select t.id from card_transfers t
    where t.payment_id = p.id and t.direction = 'spend' and t.status = 'FAILED' order by t.ordinal desc limit 1),
  p.safe_id, side.sign * p.owed, now()
from card_payments p, (values ('owed', 1), ('advanced', -1)) as side(account, sign) where p.owed > 0;
--> statement-breakpoint
set constraints ledger_entries_balance immediate;
