-- mode: statements
create index concurrently if not exists "orders_unpaid" on "orders" using btree ("updated_at") where "orders"."paid_at" is null and "orders"."transaction_hash" is not null;
--> statement-breakpoint
create index concurrently if not exists "orders_payment_hash" on "orders" using btree ("transaction_hash") where "orders"."paid_at" is not null;
--> statement-breakpoint
insert into "kyc_checks" ("user_id", "due_at")
select "user_id", now() from "kyc_applications" a where not exists (select from "kyc_checks" c where c."user_id" = a."user_id") on conflict do nothing;
