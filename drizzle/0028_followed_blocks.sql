-- Blocks of before were seen by looks at the head; what a job records from now on is followed once a look reaches it.
alter table chain_blocks add column if not exists is_followed boolean default true not null;
--> statement-breakpoint
alter table chain_blocks alter column is_followed set default false;
