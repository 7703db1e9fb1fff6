-- mode: statements
create index concurrently if not exists "iban_orders_recorded" on "iban_orders" using btree (coalesce("updated_at", "reported_at"));
--> statement-breakpoint
drop index concurrently if exists "iban_orders_processed";
