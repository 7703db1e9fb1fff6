ALTER TABLE "delay_transactions" ADD COLUMN "request_id" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "request_id" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD COLUMN "request_id" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "safes" ADD COLUMN "request_id" text DEFAULT 'unknown' NOT NULL;