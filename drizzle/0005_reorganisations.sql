CREATE TABLE "chain_blocks" (
	"block_number" bigint PRIMARY KEY NOT NULL,
	"block_hash" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "relay_transactions" DROP CONSTRAINT "relay_transactions_status";--> statement-breakpoint
DROP INDEX "relay_transactions_open";--> statement-breakpoint
ALTER TABLE "chain_cursor" ADD COLUMN "reorganisations" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD COLUMN "enqueued_block" bigint;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD COLUMN "ended_block" bigint;--> statement-breakpoint
CREATE INDEX "delay_transactions_enqueued" ON "delay_transactions" USING btree ("enqueued_block");--> statement-breakpoint
CREATE INDEX "delay_transactions_ended" ON "delay_transactions" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "relay_transactions_mined" ON "relay_transactions" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "relay_transactions_subject" ON "relay_transactions" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "relay_transactions_open" ON "relay_transactions" USING btree ("relayer","nonce") WHERE "relay_transactions"."status" in ('SIGNED', 'TAKEN_BACK');--> statement-breakpoint
ALTER TABLE "chain_cursor" DROP COLUMN "block_number";--> statement-breakpoint
ALTER TABLE "chain_cursor" DROP COLUMN "block_hash";--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD CONSTRAINT "relay_transactions_status" CHECK ("relay_transactions"."status" in ('SIGNED', 'TAKEN_BACK', 'MINED', 'REVERTED'));