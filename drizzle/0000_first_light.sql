CREATE SCHEMA "sandbox";
--> statement-breakpoint
CREATE TABLE "chain_cursor" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "clock" (
	"id" integer PRIMARY KEY NOT NULL,
	"offset_seconds" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "coupon_redemptions" (
	"code" text NOT NULL,
	"user_id" text NOT NULL,
	"redeemed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "coupon_redemptions_code_user_id_pk" PRIMARY KEY("code","user_id")
);
--> statement-breakpoint
CREATE TABLE "coupons" (
	"code" text PRIMARY KEY NOT NULL,
	"percent" integer,
	"amount_eur" numeric(12, 2),
	"redemptions_max" integer,
	"redemptions" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone,
	"active" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "coupons_one_discount" CHECK (num_nonnulls("coupons"."percent", "coupons"."amount_eur") = 1),
	CONSTRAINT "coupons_percent" CHECK ("coupons"."percent" between 1 and 100),
	CONSTRAINT "coupons_amount" CHECK ("coupons"."amount_eur" > 0),
	CONSTRAINT "coupons_redemptions" CHECK ("coupons"."redemptions" between 0 and coalesce("coupons"."redemptions_max", "coupons"."redemptions"))
);
--> statement-breakpoint
CREATE TABLE "delay_transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "delay_transactions_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"safe_id" text NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"to" text NOT NULL,
	"value" numeric(78,0) NOT NULL,
	"data" text NOT NULL,
	"operation" text NOT NULL,
	"token_address" text,
	"amount" numeric(78,0),
	"delay_address" text NOT NULL,
	"signer" text NOT NULL,
	"message_hash" text NOT NULL,
	"enqueue_data" text NOT NULL,
	"status" text NOT NULL,
	"enqueue_task_id" text NOT NULL,
	"dispatch_task_id" text,
	"queue_nonce" bigint,
	"enqueued_hash" text,
	"executed_hash" text,
	"ready_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "delay_transactions_enqueueTaskId_unique" UNIQUE("enqueue_task_id"),
	CONSTRAINT "delay_transactions_status" CHECK ("delay_transactions"."status" in ('QUEUING', 'WAITING', 'EXECUTING', 'EXECUTED', 'FAILED')),
	CONSTRAINT "delay_transactions_queued" CHECK ("delay_transactions"."status" in ('QUEUING', 'FAILED') or ("delay_transactions"."queue_nonce" is not null and "delay_transactions"."ready_at" is not null)),
	CONSTRAINT "delay_transactions_evidence" CHECK ("delay_transactions"."status" <> 'EXECUTED' or "delay_transactions"."executed_hash" is not null),
	CONSTRAINT "delay_transactions_reason" CHECK ("delay_transactions"."status" <> 'FAILED' or "delay_transactions"."reason" is not null)
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" text NOT NULL,
	"event_type" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"status" integer NOT NULL,
	"reply" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_scope_key_pk" PRIMARY KEY("scope","key")
);
--> statement-breakpoint
CREATE TABLE "sandbox"."kyc_applicants" (
	"id" text PRIMARY KEY NOT NULL,
	"external_user_id" text NOT NULL,
	"review_status" text NOT NULL,
	"review_result" jsonb,
	"info" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kyc_applicants_externalUserId_unique" UNIQUE("external_user_id")
);
--> statement-breakpoint
CREATE TABLE "kyc_applications" (
	"user_id" text PRIMARY KEY NOT NULL,
	"applicant_id" text NOT NULL,
	"last_event_at_ms" bigint NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kyc_applications_applicantId_unique" UNIQUE("applicant_id")
);
--> statement-breakpoint
CREATE TABLE "kyc_callbacks" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"body" jsonb NOT NULL,
	"received_at" timestamp with time zone NOT NULL
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
CREATE TABLE "nonces" (
	"value" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "otps" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"code_hash" text NOT NULL,
	"tries_left" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partner_domains" (
	"domain" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"webhook_url" text,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relay_attempts" (
	"hash" text PRIMARY KEY NOT NULL,
	"relay_transaction_id" text NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas" numeric(78,0) NOT NULL,
	"max_priority_fee_per_gas" numeric(78,0) NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relay_transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"subject_id" text NOT NULL,
	"relayer" text NOT NULL,
	"nonce" bigint NOT NULL,
	"to" text NOT NULL,
	"value" numeric(78,0) NOT NULL,
	"data" text NOT NULL,
	"gas_limit" bigint NOT NULL,
	"status" text NOT NULL,
	"mined_hash" text,
	"block_number" bigint,
	"block_hash" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "relay_transactions_status" CHECK ("relay_transactions"."status" in ('SIGNED', 'MINED', 'REVERTED'))
);
--> statement-breakpoint
CREATE TABLE "relayers" (
	"address" text PRIMARY KEY NOT NULL,
	"next_nonce" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "safes" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"salt_nonce" numeric(78,0) NOT NULL,
	"address" text NOT NULL,
	"delay_address" text NOT NULL,
	"roles_address" text NOT NULL,
	"bouncer_address" text NOT NULL,
	"first_owner" text NOT NULL,
	"token_symbol" text NOT NULL,
	"daily_limit" numeric(78,0) NOT NULL,
	"cooldown_seconds" integer NOT NULL,
	"expiration_seconds" integer NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "safes_status" CHECK ("safes"."status" in ('processing', 'ok', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "sign_in_wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "terms_acceptances" (
	"user_id" text NOT NULL,
	"type" text NOT NULL,
	"version" text NOT NULL,
	"accepted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "terms_acceptances_user_id_type_pk" PRIMARY KEY("user_id","type")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"phone" text,
	"first_name" text,
	"last_name" text,
	"birth_date" text,
	"address1" text,
	"address2" text,
	"city" text,
	"postal_code" text,
	"state" text,
	"country" text,
	"nationality_country" text,
	"kyc_status" text NOT NULL,
	"is_phone_validated" boolean DEFAULT false NOT NULL,
	"is_source_of_funds_answered" boolean DEFAULT false NOT NULL,
	"partner_id" text,
	"referral_coupon_code" text,
	"marketing_campaign" text,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_code_coupons_code_fk" FOREIGN KEY ("code") REFERENCES "public"."coupons"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD CONSTRAINT "delay_transactions_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD CONSTRAINT "delay_transactions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_applications" ADD CONSTRAINT "kyc_applications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_callbacks" ADD CONSTRAINT "kyc_callbacks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_domains" ADD CONSTRAINT "partner_domains_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD CONSTRAINT "relay_attempts_relay_transaction_id_relay_transactions_id_fk" FOREIGN KEY ("relay_transaction_id") REFERENCES "public"."relay_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD CONSTRAINT "relay_transactions_relayer_relayers_address_fk" FOREIGN KEY ("relayer") REFERENCES "public"."relayers"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_wallets" ADD CONSTRAINT "sign_in_wallets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terms_acceptances" ADD CONSTRAINT "terms_acceptances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "delay_transactions_message" ON "delay_transactions" USING btree ("delay_address","signer","message_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "delay_transactions_queue" ON "delay_transactions" USING btree ("delay_address","queue_nonce");--> statement-breakpoint
CREATE INDEX "delay_transactions_user" ON "delay_transactions" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "delay_transactions_safe" ON "delay_transactions" USING btree ("safe_id","created_at");--> statement-breakpoint
CREATE INDEX "delay_transactions_open" ON "delay_transactions" USING btree ("safe_id","sequence") WHERE "delay_transactions"."status" not in ('EXECUTED', 'FAILED');--> statement-breakpoint
CREATE INDEX "events_user" ON "events" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_to" ON "sandbox"."messages" USING btree ("channel","to");--> statement-breakpoint
CREATE INDEX "nonces_expiry" ON "nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "otps_email" ON "otps" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "partner_domains_partner" ON "partner_domains" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "relay_attempts_transaction" ON "relay_attempts" USING btree ("relay_transaction_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "relay_transactions_nonce" ON "relay_transactions" USING btree ("relayer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "relay_transactions_one_open" ON "relay_transactions" USING btree ("purpose","subject_id") WHERE "relay_transactions"."status" = 'SIGNED';--> statement-breakpoint
CREATE INDEX "relay_transactions_open" ON "relay_transactions" USING btree ("relayer","nonce") WHERE "relay_transactions"."status" = 'SIGNED';--> statement-breakpoint
CREATE UNIQUE INDEX "safes_address" ON "safes" USING btree ("address");--> statement-breakpoint
CREATE UNIQUE INDEX "safes_one_live" ON "safes" USING btree ("user_id") WHERE "safes"."status" <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_wallets_address" ON "sign_in_wallets" USING btree ("address");--> statement-breakpoint
CREATE INDEX "sign_in_wallets_user" ON "sign_in_wallets" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));