CREATE TABLE "card_clearings" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"merchant_minor" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_clearings_kind" CHECK ("card_clearings"."kind" in ('capture', 'refund', 'reversal')),
	CONSTRAINT "card_clearings_amount" CHECK ("card_clearings"."amount_cents" >= 0 and "card_clearings"."merchant_minor" >= 0)
);
--> statement-breakpoint
CREATE TABLE "card_disputes" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"issuer_dispute_id" text,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_disputes_paymentId_unique" UNIQUE("payment_id"),
	CONSTRAINT "card_disputes_reason" CHECK ("card_disputes"."reason" in ('purchase_cancelled_but_no_refund_received', 'problem_with_the_product_chargeback_', 'problem_with_service_subscription_chargeback', 'wrong_installment_number', 'wrong_value', 'charged_more_than_once', 'unrecognized_transaction_report_fraudulent')),
	CONSTRAINT "card_disputes_status" CHECK ("card_disputes"."status" in ('requested', 'created', 'submitted', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "card_payments" (
	"id" text PRIMARY KEY NOT NULL,
	"thread_id" text NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"card_id" text NOT NULL,
	"status" text NOT NULL,
	"decline_result" text,
	"decline_reason" text,
	"authorized_cents" bigint NOT NULL,
	"reversed_cents" bigint NOT NULL,
	"captured_cents" bigint NOT NULL,
	"refunded_cents" bigint NOT NULL,
	"billing_currency" text NOT NULL,
	"merchant_minor" bigint NOT NULL,
	"merchant_currency" text NOT NULL,
	"merchant_name" text,
	"merchant_city" text,
	"merchant_country" text,
	"mcc" text NOT NULL,
	"transaction_type" text NOT NULL,
	"target" numeric(78,0) NOT NULL,
	"version" integer NOT NULL,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"cleared_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_payments_threadId_unique" UNIQUE("thread_id"),
	CONSTRAINT "card_payments_status" CHECK ("card_payments"."status" in ('REQUESTED', 'DECLINED', 'AUTHORIZED', 'REVERSED', 'EXPIRED', 'CLEARED', 'CREDITED')),
	CONSTRAINT "card_payments_decline" CHECK (("card_payments"."status" <> 'DECLINED' or "card_payments"."decline_result" is not null) and ("card_payments"."decline_result" is null or "card_payments"."decline_result" in ('Approved', 'IncorrectPin', 'InsufficientFunds', 'ExceedsApprovalAmountLimit', 'InvalidAmount', 'PinEntryTriesExceeded', 'IncorrectSecurityCode', 'Reversal', 'PartialReversal', 'Other'))),
	CONSTRAINT "card_payments_amounts" CHECK (least("card_payments"."authorized_cents", "card_payments"."reversed_cents", "card_payments"."captured_cents", "card_payments"."refunded_cents", "card_payments"."merchant_minor") >= 0)
);
--> statement-breakpoint
CREATE TABLE "card_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "card_transfers_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"payment_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"safe_id" text NOT NULL,
	"clearing_id" text,
	"direction" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"to" text NOT NULL,
	"data" text NOT NULL,
	"salt" text NOT NULL,
	"message_hash" text,
	"status" text NOT NULL,
	"hash" text,
	"ended_block" bigint,
	"reason" text,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_transfers_status" CHECK ("card_transfers"."status" in ('PLANNED', 'SIGNED', 'DONE', 'FAILED')),
	CONSTRAINT "card_transfers_amount" CHECK ("card_transfers"."amount" > 0),
	CONSTRAINT "card_transfers_spend" CHECK (("card_transfers"."direction" = 'spend') = ("card_transfers"."message_hash" is not null)),
	CONSTRAINT "card_transfers_evidence" CHECK (("card_transfers"."status" <> 'DONE' or "card_transfers"."hash" is not null) and ("card_transfers"."status" <> 'FAILED' or "card_transfers"."reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"journal" text NOT NULL,
	"account" text NOT NULL,
	"transfer_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_entries_journal_account_pk" PRIMARY KEY("journal","account"),
	CONSTRAINT "ledger_entries_account" CHECK ("ledger_entries"."account" in ('safe', 'held', 'settlement'))
);
--> statement-breakpoint
ALTER TABLE "card_clearings" ADD CONSTRAINT "card_clearings_payment_id_card_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."card_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_clearings" ADD CONSTRAINT "card_clearings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_disputes" ADD CONSTRAINT "card_disputes_payment_id_card_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."card_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_payment_id_card_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."card_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_clearing_id_card_clearings_id_fk" FOREIGN KEY ("clearing_id") REFERENCES "public"."card_clearings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_transfer_id_card_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."card_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "card_clearings_payment" ON "card_clearings" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "card_clearings_user" ON "card_clearings" USING btree ("user_id","created_at") WHERE "card_clearings"."kind" in ('refund', 'reversal');--> statement-breakpoint
CREATE INDEX "card_payments_user" ON "card_payments" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "card_payments_safe" ON "card_payments" USING btree ("safe_id");--> statement-breakpoint
CREATE UNIQUE INDEX "card_transfers_ordinal" ON "card_transfers" USING btree ("payment_id","ordinal");--> statement-breakpoint
CREATE INDEX "card_transfers_open" ON "card_transfers" USING btree ("safe_id","sequence") WHERE "card_transfers"."status" not in ('DONE', 'FAILED');--> statement-breakpoint
CREATE INDEX "card_transfers_safe" ON "card_transfers" USING btree ("safe_id","sequence");--> statement-breakpoint
CREATE INDEX "card_transfers_ended" ON "card_transfers" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "ledger_entries_safe" ON "ledger_entries" USING btree ("safe_id","account");--> statement-breakpoint
CREATE INDEX "ledger_entries_transfer" ON "ledger_entries" USING btree ("transfer_id");