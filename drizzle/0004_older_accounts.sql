ALTER TABLE "safes" DROP CONSTRAINT "safes_status";--> statement-breakpoint
DROP INDEX "safes_one_live";--> statement-breakpoint
ALTER TABLE "safes" ALTER COLUMN "token_symbol" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "safes" ALTER COLUMN "daily_limit" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "safes" ADD COLUMN "set_up_by" text DEFAULT 'operator' NOT NULL;--> statement-breakpoint
ALTER TABLE "safes" ADD COLUMN "set_up_hash" text;--> statement-breakpoint
ALTER TABLE "safes" ADD COLUMN "set_up_data" text;--> statement-breakpoint
CREATE UNIQUE INDEX "safes_one_live" ON "safes" USING btree ("user_id") WHERE "safes"."status" not in ('failed', 'reset');--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_currency" CHECK (("safes"."token_symbol" is null) = ("safes"."daily_limit" is null));--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_in_service" CHECK ("safes"."status" <> 'ok' or "safes"."token_symbol" is not null);--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_setting_up" CHECK ("safes"."status" <> 'settingUp' or ("safes"."token_symbol" is not null and "safes"."set_up_hash" is not null and "safes"."set_up_data" is not null));--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_status" CHECK ("safes"."status" in ('processing', 'created', 'settingUp', 'ok', 'failed', 'reset'));