CREATE SCHEMA "sandbox";
--> statement-breakpoint
CREATE TABLE "sandbox"."emoney_records" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox"."emoney_records_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"profile" text,
	"data" jsonb NOT NULL,
	CONSTRAINT "emoney_records_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "sandbox"."identity_records" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"data" jsonb NOT NULL,
	"grant_id" text,
	"uid" text,
	"user_code" text,
	"expires_at" timestamp with time zone,
	CONSTRAINT "identity_records_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "sandbox"."inbox_attempts" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox"."inbox_attempts_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"headers" jsonb NOT NULL,
	"body" text NOT NULL,
	"verified" boolean NOT NULL,
	"status" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox"."inboxes" (
	"name" text PRIMARY KEY NOT NULL,
	"statuses" integer[] NOT NULL,
	"delay_ms" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox"."issuer_objects" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox"."issuer_objects_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"object" text NOT NULL,
	"data" jsonb NOT NULL,
	"hidden" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox"."issuer_replies" (
	"key" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer NOT NULL,
	"reply" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox"."kyc_applicants" (
	"id" text PRIMARY KEY NOT NULL,
	"external_user_id" text NOT NULL,
	"level_name" text NOT NULL,
	"review_status" text NOT NULL,
	"review_result" jsonb,
	"is_deactivated" boolean DEFAULT false NOT NULL,
	"info" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kyc_applicants_external_user_id" UNIQUE("external_user_id")
);
--> statement-breakpoint
CREATE TABLE "sandbox"."messages" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox"."messages_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel" text NOT NULL,
	"to" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"code" text,
	"sent_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox"."moved_clock" (
	"id" integer PRIMARY KEY NOT NULL,
	"offset_seconds" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "emoney_records_kind" ON "sandbox"."emoney_records" USING btree ("kind","sequence");--> statement-breakpoint
CREATE INDEX "emoney_records_holder" ON "sandbox"."emoney_records" USING btree (("data" ->> 'holder')) WHERE "sandbox"."emoney_records"."kind" = 'profile';--> statement-breakpoint
CREATE INDEX "emoney_records_address" ON "sandbox"."emoney_records" USING btree (("data" ->> 'address'),"sequence") WHERE "sandbox"."emoney_records"."kind" = 'iban';--> statement-breakpoint
CREATE INDEX "emoney_records_profile" ON "sandbox"."emoney_records" USING btree ("kind","profile","sequence");--> statement-breakpoint
CREATE INDEX "identity_records_grant" ON "sandbox"."identity_records" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "identity_records_uid" ON "sandbox"."identity_records" USING btree ("kind","uid");--> statement-breakpoint
CREATE INDEX "identity_records_code" ON "sandbox"."identity_records" USING btree ("kind","user_code");--> statement-breakpoint
CREATE INDEX "identity_records_age" ON "sandbox"."identity_records" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "inbox_attempts_name" ON "sandbox"."inbox_attempts" USING btree ("name","sequence");--> statement-breakpoint
CREATE INDEX "issuer_objects_list" ON "sandbox"."issuer_objects" USING btree ("object","sequence");--> statement-breakpoint
CREATE INDEX "issuer_objects_card" ON "sandbox"."issuer_objects" USING btree ("object",(coalesce("data" #>> '{card,id}', "data" ->> 'card')),"sequence");--> statement-breakpoint
CREATE INDEX "issuer_objects_cardholder" ON "sandbox"."issuer_objects" USING btree ("object",("data" ->> 'cardholder'),"sequence");--> statement-breakpoint
CREATE INDEX "issuer_objects_data" ON "sandbox"."issuer_objects" USING gin ("data" jsonb_path_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "issuer_objects_number" ON "sandbox"."issuer_objects" USING btree (("hidden" ->> 'number'));--> statement-breakpoint
CREATE INDEX "messages_to" ON "sandbox"."messages" USING btree ("channel","to","sequence");--> statement-breakpoint
CREATE INDEX "messages_channel" ON "sandbox"."messages" USING btree ("channel","sequence");