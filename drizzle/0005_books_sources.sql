-- mode: statements
create index concurrently if not exists "card_clearings_time" on "card_clearings" using brin ("created_at");
--> statement-breakpoint
create index concurrently if not exists "card_disputes_changed" on "card_disputes" using btree ("updated_at");
--> statement-breakpoint
create index concurrently if not exists "iban_orders_processed" on "iban_orders" using btree ("processed_at");
--> statement-breakpoint
create index concurrently if not exists "ledger_entries_time" on "ledger_entries" using brin ("created_at");
--> statement-breakpoint
create index concurrently if not exists "order_returns_paid" on "order_returns" using btree ("paid_at");
--> statement-breakpoint
create index concurrently if not exists "orders_paid" on "orders" using btree ("paid_at");
--> statement-breakpoint
create index concurrently if not exists "top_ups_settled" on "top_ups" using btree ("settled_at");
