ALTER TABLE "cards" DROP CONSTRAINT "cards_status_code";--> statement-breakpoint
ALTER TABLE "cards" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
UPDATE "cards" SET "expires_at" = "created_at" + interval '3 years';--> statement-breakpoint
ALTER TABLE "cards" ALTER COLUMN "expires_at" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "cards_expiry" ON "cards" USING btree ("expires_at") WHERE "cards"."status_code" not in ('1009', '1041', '1043', '1054');--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_status_code" CHECK ("cards"."status_code" in ('1000', '1005', '1009', '1041', '1043', '1054', '1062'));