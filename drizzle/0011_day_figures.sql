-- mode: statements
create table if not exists "day_figures" (
	"day" date not null,
	"name" text not null,
	"part" text not null,
	"count" bigint not null,
	"amount" numeric(78,0) not null,
	"counted_at" timestamp with time zone not null,
	constraint "day_figures_day_name_part_pk" primary key("day","name","part")
);
--> statement-breakpoint
create index concurrently if not exists "cards_activated" on "cards" using btree ("activated_at") where "cards"."activated_at" is not null;
--> statement-breakpoint
create index concurrently if not exists "delay_transactions_withdrawn" on "delay_transactions" using btree ("updated_at") where "delay_transactions"."kind" = 'withdrawal' and "delay_transactions"."status" = 'EXECUTED';
