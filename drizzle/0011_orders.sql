CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"status" text NOT NULL,
	"personalization_source" text NOT NULL,
	"virtual" boolean NOT NULL,
	"embossed_name" text,
	"address1" text,
	"address2" text,
	"city" text,
	"postal_code" text,
	"state" text,
	"country" text,
	"coupon_code" text,
	"total_eur_cents" bigint NOT NULL,
	"discount_eur_cents" bigint NOT NULL,
	"transaction_hash" text,
	"payment_block" bigint,
	"paid_at" timestamp with time zone,
	"asked_at" timestamp with time zone,
	"confirmed_at" timestamp with time zone,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "orders_status" CHECK ("orders"."status" in ('PENDINGTRANSACTION', 'TRANSACTIONCOMPLETE', 'CONFIRMATIONREQUIRED', 'READY', 'CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED')),
	CONSTRAINT "orders_source" CHECK ("orders"."personalization_source" in ('KYC', 'ENS')),
	CONSTRAINT "orders_discount" CHECK ("orders"."discount_eur_cents" between 0 and "orders"."total_eur_cents"),
	CONSTRAINT "orders_payment" CHECK (num_nulls("orders"."payment_block", "orders"."paid_at") in (0, 2) and ("orders"."paid_at" is null or "orders"."transaction_hash" is not null)),
	CONSTRAINT "orders_paid" CHECK (not ("orders"."status" in ('TRANSACTIONCOMPLETE', 'CONFIRMATIONREQUIRED', 'READY', 'CARDCREATED')) or "orders"."paid_at" is not null or ("orders"."status" in ('READY', 'CARDCREATED') and "orders"."discount_eur_cents" = "orders"."total_eur_cents"))
);
--> statement-breakpoint
CREATE TABLE "payment_hashes" (
	"hash" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"claimed_at" timestamp with time zone NOT NULL,
	"proven_at" timestamp with time zone,
	CONSTRAINT "payment_hashes_orderId_unique" UNIQUE("order_id")
);
--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD COLUMN "order_id" text NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_hashes" ADD CONSTRAINT "payment_hashes_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open" ON "orders" USING btree ("user_id") WHERE "orders"."status" not in ('CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED');--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_payment_block" ON "orders" USING btree ("payment_block");--> statement-breakpoint
CREATE INDEX "payment_hashes_claims" ON "payment_hashes" USING btree ("claimed_at") WHERE "payment_hashes"."proven_at" is null;--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coupon_redemptions_order" ON "coupon_redemptions" USING btree ("order_id");