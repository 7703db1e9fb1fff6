CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"granted" integer NOT NULL,
	"last_grant" integer NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "rate_limits_end" ON "rate_limits" USING btree ("ends_at");