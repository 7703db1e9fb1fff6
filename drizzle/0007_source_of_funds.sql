CREATE TABLE "question_sets" (
	"id" text PRIMARY KEY NOT NULL,
	"questions" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_of_funds" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"answers" jsonb NOT NULL,
	"risk" text NOT NULL,
	"answered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "source_of_funds_risk" CHECK ("source_of_funds"."risk" in ('green', 'orange', 'red'))
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "source_of_funds_risk" text;--> statement-breakpoint
ALTER TABLE "source_of_funds" ADD CONSTRAINT "source_of_funds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "question_sets_age" ON "question_sets" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "source_of_funds_user" ON "source_of_funds" USING btree ("user_id","answered_at");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_source_of_funds_risk" CHECK ("users"."source_of_funds_risk" in ('green', 'orange', 'red'));