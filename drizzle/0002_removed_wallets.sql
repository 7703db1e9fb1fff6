CREATE TABLE "removed_sign_in_wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"removed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "removed_sign_in_wallets_age" ON "removed_sign_in_wallets" USING btree ("removed_at");