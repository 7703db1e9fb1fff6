CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"event_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"position" bigint NOT NULL,
	"status" text NOT NULL,
	"attempts" integer NOT NULL,
	"schedule_from" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "deliveries_status" CHECK ("deliveries"."status" in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED', 'KEPT'))
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"status" integer,
	"error" text,
	"duration_ms" integer NOT NULL,
	CONSTRAINT "delivery_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
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
CREATE TABLE "partner_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "subscription_messages" (
	"nonce" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"user_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"message" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"user_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"last_sequence" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "told_balances" (
	"safe_id" text PRIMARY KEY NOT NULL,
	"total" numeric(78,0) NOT NULL,
	"pending" numeric(78,0) NOT NULL,
	"told_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "is_pending" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "contact" text;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "payload" text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "webhook_status" text DEFAULT 'ACTIVE' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "webhook_reason" text;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "last_position" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_keys" ADD CONSTRAINT "partner_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_messages" ADD CONSTRAINT "subscription_messages_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_messages" ADD CONSTRAINT "subscription_messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "told_balances" ADD CONSTRAINT "told_balances_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_sequence" ON "deliveries" USING btree ("subscription_id","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_position" ON "deliveries" USING btree ("partner_id","position");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("partner_id","next_attempt_at") WHERE "deliveries"."status" = 'PENDING';--> statement-breakpoint
CREATE INDEX "deliveries_age" ON "deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "delivery_attempts_age" ON "delivery_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "inbox_attempts_name" ON "sandbox"."inbox_attempts" USING btree ("name","sequence");--> statement-breakpoint
CREATE INDEX "partner_keys_partner" ON "partner_keys" USING btree ("partner_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "partner_keys_api" ON "partner_keys" USING btree ("value") WHERE "partner_keys"."kind" = 'api';--> statement-breakpoint
CREATE INDEX "subscription_messages_age" ON "subscription_messages" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one" ON "subscriptions" USING btree ("user_id","partner_id");--> statement-breakpoint
CREATE INDEX "subscriptions_partner" ON "subscriptions" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "events_pending" ON "events" USING btree ("sequence") WHERE "events"."is_pending";--> statement-breakpoint
ALTER TABLE "partners" ADD CONSTRAINT "partners_payload" CHECK ("partners"."payload" in ('full', 'thin'));--> statement-breakpoint
ALTER TABLE "partners" ADD CONSTRAINT "partners_webhook_status" CHECK ("partners"."webhook_status" in ('ACTIVE', 'DISABLED'));