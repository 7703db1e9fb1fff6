CREATE TABLE "account_violations" (
	"id" text PRIMARY KEY NOT NULL,
	"safe_id" text NOT NULL,
	"queue_nonce" bigint,
	"transfer_id" text,
	"status" text NOT NULL,
	"reason" text NOT NULL,
	"hash" text NOT NULL,
	"block_number" bigint NOT NULL,
	"ended_block" bigint,
	"seen_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "account_violations_status" CHECK ("account_violations"."status" in ('QUEUED', 'EXECUTED', 'CLEARED')),
	CONSTRAINT "account_violations_cause" CHECK (num_nonnulls("account_violations"."queue_nonce", "account_violations"."transfer_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "queue_entries" (
	"delay_address" text NOT NULL,
	"queue_nonce" bigint NOT NULL,
	"kind" text,
	"block_number" bigint NOT NULL,
	CONSTRAINT "queue_entries_delay_address_queue_nonce_pk" PRIMARY KEY("delay_address","queue_nonce")
);
--> statement-breakpoint
ALTER TABLE "chain_cursor" ADD COLUMN "checked_block" bigint;--> statement-breakpoint
ALTER TABLE "account_violations" ADD CONSTRAINT "account_violations_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_violations" ADD CONSTRAINT "account_violations_transfer_id_card_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."card_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_violations_entry" ON "account_violations" USING btree ("safe_id","queue_nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "account_violations_transfer" ON "account_violations" USING btree ("transfer_id");--> statement-breakpoint
CREATE INDEX "account_violations_standing" ON "account_violations" USING btree ("safe_id") WHERE "account_violations"."status" <> 'CLEARED';--> statement-breakpoint
CREATE INDEX "account_violations_block" ON "account_violations" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "account_violations_ended" ON "account_violations" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "queue_entries_block" ON "queue_entries" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "card_transfers_open_spends" ON "card_transfers" USING btree ("created_at") WHERE "card_transfers"."direction" = 'spend' and "card_transfers"."status" not in ('DONE', 'FAILED');