ALTER TABLE "relay_transactions" DROP CONSTRAINT "relay_transactions_status";--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD COLUMN "resent_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD COLUMN "resends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD COLUMN "is_cancellation" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD COLUMN "lost_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD COLUMN "lost_to_hash" text;--> statement-breakpoint
ALTER TABLE "relayers" ADD COLUMN "foreign_count" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "relayers" ADD COLUMN "foreign_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD CONSTRAINT "relay_transactions_lost" CHECK ("relay_transactions"."status" <> 'LOST' or "relay_transactions"."lost_at" is not null);--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD CONSTRAINT "relay_transactions_status" CHECK ("relay_transactions"."status" in ('SIGNED', 'TAKEN_BACK', 'MINED', 'REVERTED', 'LOST'));