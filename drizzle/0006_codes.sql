CREATE TABLE "codes" (
	"id" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"subject" text NOT NULL,
	"receiver" text NOT NULL,
	"code_hash" text NOT NULL,
	"tries_left" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "otps" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "otps" CASCADE;--> statement-breakpoint
CREATE INDEX "codes_subject" ON "codes" USING btree ("purpose","subject","created_at");--> statement-breakpoint
CREATE INDEX "codes_receiver" ON "codes" USING btree ("purpose","receiver","created_at");--> statement-breakpoint
CREATE INDEX "codes_age" ON "codes" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_validated_phone" ON "users" USING btree ("phone") WHERE "users"."is_phone_validated";