-- mode: statements
-- A Safe that its owner used before its set-up is changed: a violation without an entry and without a spend.
alter table account_violations drop constraint if exists account_violations_cause;
--> statement-breakpoint
alter table account_violations add constraint account_violations_cause check (num_nonnulls(queue_nonce, transfer_id) <= 1) not valid;
--> statement-breakpoint
alter table account_violations validate constraint account_violations_cause;
--> statement-breakpoint
create unique index concurrently if not exists account_violations_set_up on account_violations using btree (safe_id) where queue_nonce is null and transfer_id is null;
--> statement-breakpoint
alter table safes add column if not exists set_up_block bigint;
--> statement-breakpoint
create index concurrently if not exists safes_set_up_unread on safes using btree (id) where set_up_by = 'user' and status in ('ok') and set_up_block is null;
--> statement-breakpoint
create index concurrently if not exists safes_set_up_block on safes using btree (set_up_block) where set_up_block is not null;
