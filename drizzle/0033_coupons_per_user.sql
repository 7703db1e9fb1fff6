DROP INDEX "coupon_redemptions_order";--> statement-breakpoint
ALTER TABLE "coupon_redemptions" DROP CONSTRAINT "coupon_redemptions_code_user_id_pk";--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_order_id_code_pk" PRIMARY KEY("order_id","code");--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "per_user_max" integer DEFAULT 1;--> statement-breakpoint
CREATE INDEX "coupon_redemptions_user" ON "coupon_redemptions" USING btree ("code","user_id");--> statement-breakpoint
ALTER TABLE "coupons" ADD CONSTRAINT "coupons_per_user" CHECK ("coupons"."per_user_max" >= 1);