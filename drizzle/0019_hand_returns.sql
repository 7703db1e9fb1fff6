-- mode: statements
alter table card_cases validate constraint card_cases_kind;
--> statement-breakpoint
create index concurrently if not exists "card_transfers_hand_returns" on "card_transfers" using btree ("user_id","created_at") where "is_by_hand";
