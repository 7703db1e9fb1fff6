CREATE TABLE "unmatched_threads" (
	"thread_id" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"currency" text NOT NULL,
	"amount_minor" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unmatched_threads_reason" CHECK ("unmatched_threads"."reason" in ('currency', 'card'))
);
--> statement-breakpoint
ALTER TABLE "sign_in_wallets" ADD COLUMN "proven_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sign_in_wallets" ADD COLUMN "is_added" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_proven_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "unmatched_threads_age" ON "unmatched_threads" USING btree ("seen_at");--> statement-breakpoint
UPDATE "sign_in_wallets" SET "proven_at" = "sign_in_wallets"."created_at", "is_added" = "sign_in_wallets"."created_at" <> "users"."created_at" FROM "users" WHERE "users"."id" = "sign_in_wallets"."user_id";
