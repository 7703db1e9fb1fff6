CREATE TABLE "foreign_entries" (
	"delay_address" text NOT NULL,
	"queue_nonce" bigint NOT NULL,
	"to" text NOT NULL,
	"value" numeric(78,0) NOT NULL,
	"data" text NOT NULL,
	"enqueued_hash" text NOT NULL,
	"enqueued_block" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "foreign_entries_delay_address_queue_nonce_pk" PRIMARY KEY("delay_address","queue_nonce")
);
--> statement-breakpoint
ALTER TABLE "chain_cursor" ADD COLUMN "compared_block" bigint;