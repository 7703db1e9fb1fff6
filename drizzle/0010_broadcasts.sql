ALTER TABLE "relay_attempts" ADD COLUMN "broadcast_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD COLUMN "refusal" text;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD COLUMN "mined_at" timestamp with time zone;