CREATE TABLE "relay_subjects" (
	"relay_transaction_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	CONSTRAINT "relay_subjects_relay_transaction_id_subject_id_pk" PRIMARY KEY("relay_transaction_id","subject_id")
);
--> statement-breakpoint
ALTER TABLE "relayers" ADD COLUMN "gathering_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "relay_subjects" ADD CONSTRAINT "relay_subjects_relay_transaction_id_relay_transactions_id_fk" FOREIGN KEY ("relay_transaction_id") REFERENCES "public"."relay_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "relay_subjects_subject" ON "relay_subjects" USING btree ("subject_id");--> statement-breakpoint
-- Every transaction signed before served one row.
insert into "relay_subjects" ("relay_transaction_id", "subject_id", "request_id") select "id", "subject_id", "request_id" from "relay_transactions";
