CREATE TABLE "statement_volumes" (
	"user_id" text NOT NULL,
	"month" text NOT NULL,
	"volume" integer NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"document" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "statement_volumes_user_id_month_volume_pk" PRIMARY KEY("user_id","month","volume"),
	CONSTRAINT "statement_volumes_month" CHECK ("statement_volumes"."month" ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
	CONSTRAINT "statement_volumes_volume" CHECK ("statement_volumes"."volume" > 0)
);
--> statement-breakpoint
ALTER TABLE "statement_volumes" ADD CONSTRAINT "statement_volumes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;