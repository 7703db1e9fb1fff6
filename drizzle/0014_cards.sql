CREATE TABLE "card_envelopes" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"issue_id" text,
	"encrypted_key" text,
	"encrypted_data" text,
	"iv" text,
	"outcome" text,
	"card_id" text,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_envelopes_issueId_unique" UNIQUE("issue_id"),
	CONSTRAINT "card_envelopes_outcome" CHECK ("card_envelopes"."outcome" in ('matched', 'unreadable', 'unknown', 'void')),
	CONSTRAINT "card_envelopes_emptied" CHECK (num_nonnulls("card_envelopes"."encrypted_key", "card_envelopes"."encrypted_data", "card_envelopes"."iv") = case when "card_envelopes"."outcome" is null then 3 else 0 end)
);
--> statement-breakpoint
CREATE TABLE "card_issues" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"order_id" text,
	"virtual" boolean NOT NULL,
	"embossed_name" text,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"reason" text,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_issues_status" CHECK ("card_issues"."status" in ('open', 'issued', 'refused')),
	CONSTRAINT "card_issues_reason" CHECK (("card_issues"."status" = 'refused') = ("card_issues"."reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "cardholders" (
	"user_id" text PRIMARY KEY NOT NULL,
	"issuer_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cardholders_issuerId_unique" UNIQUE("issuer_id")
);
--> statement-breakpoint
CREATE TABLE "cards" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"order_id" text,
	"card_token" text NOT NULL,
	"last_four_digits" text NOT NULL,
	"embossed_name" text,
	"virtual" boolean NOT NULL,
	"status_code" text NOT NULL,
	"activated_at" timestamp with time zone,
	"shipping_status" text,
	"issuer_status" text NOT NULL,
	"issuer_told_status" text NOT NULL,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cards_orderId_unique" UNIQUE("order_id"),
	CONSTRAINT "cards_cardToken_unique" UNIQUE("card_token"),
	CONSTRAINT "cards_status_code" CHECK ("cards"."status_code" in ('1000', '1005', '1006', '1009', '1041', '1043', '1054', '1062')),
	CONSTRAINT "cards_shipping_status" CHECK ("cards"."shipping_status" in ('ordered', 'shipped', 'delivered', 'failed', 'returned', 'cancelled')),
	CONSTRAINT "cards_issuer_status" CHECK ("cards"."issuer_status" in ('active', 'inactive', 'canceled')),
	CONSTRAINT "cards_issuer_told_status" CHECK ("cards"."issuer_told_status" in ('active', 'inactive', 'canceled')),
	CONSTRAINT "cards_last_four" CHECK ("cards"."last_four_digits" ~ '^[0-9]{4}$'),
	CONSTRAINT "cards_virtual" CHECK (not "cards"."virtual" or ("cards"."activated_at" is not null and "cards"."shipping_status" is null)),
	CONSTRAINT "cards_ended" CHECK ("cards"."status_code" not in ('1009', '1041', '1043', '1054') or "cards"."issuer_status" = 'canceled')
);
--> statement-breakpoint
CREATE TABLE "issuer_callbacks" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL
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
CREATE TABLE "published_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_issue_id_card_issues_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."card_issues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cardholders" ADD CONSTRAINT "cardholders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "card_envelopes_age" ON "card_envelopes" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_one_open" ON "card_issues" USING btree ("user_id") WHERE "card_issues"."status" = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_order" ON "card_issues" USING btree ("order_id") WHERE "card_issues"."status" <> 'refused';--> statement-breakpoint
CREATE INDEX "cards_user" ON "cards" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "cards_safe" ON "cards" USING btree ("safe_id");--> statement-breakpoint
CREATE INDEX "cards_to_tell" ON "cards" USING btree ("id") WHERE "cards"."issuer_status" <> "cards"."issuer_told_status";--> statement-breakpoint
CREATE INDEX "issuer_objects_list" ON "sandbox"."issuer_objects" USING btree ("object","sequence");--> statement-breakpoint
CREATE INDEX "issuer_objects_data" ON "sandbox"."issuer_objects" USING gin ("data" jsonb_path_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "issuer_objects_number" ON "sandbox"."issuer_objects" USING btree (("hidden" ->> 'number'));