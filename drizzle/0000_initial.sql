CREATE TABLE "account_violations" (
	"id" text PRIMARY KEY NOT NULL,
	"safe_id" text NOT NULL,
	"queue_nonce" bigint,
	"transfer_id" text,
	"status" text NOT NULL,
	"reason" text NOT NULL,
	"hash" text NOT NULL,
	"block_number" bigint NOT NULL,
	"ended_block" bigint,
	"seen_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "account_violations_status" CHECK ("account_violations"."status" in ('QUEUED', 'EXECUTED', 'CLEARED')),
	CONSTRAINT "account_violations_cause" CHECK (num_nonnulls("account_violations"."queue_nonce", "account_violations"."transfer_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "archived_ibans" (
	"user_id" text NOT NULL,
	"profile_id" text NOT NULL,
	"address" text NOT NULL,
	"iban" text NOT NULL,
	"bic" text,
	"archived_at" timestamp with time zone NOT NULL,
	CONSTRAINT "archived_ibans_user_id_profile_id_address_pk" PRIMARY KEY("user_id","profile_id","address")
);
--> statement-breakpoint
CREATE TABLE "backfills" (
	"name" text PRIMARY KEY NOT NULL,
	"last" text,
	"rows" bigint DEFAULT 0 NOT NULL,
	"rows_total" bigint,
	"is_paused" boolean DEFAULT false NOT NULL,
	"failure" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "backfills_name" CHECK ("backfills"."name" ~ '^backfill_[a-z0-9_]+$')
);
--> statement-breakpoint
CREATE TABLE "card_cases" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"user_id" text NOT NULL,
	"payment_id" text,
	"dispute_id" text,
	"thread_id" text,
	"order_id" text,
	"iban_order_id" text,
	"mint_id" text,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"note" text NOT NULL,
	"due_at" timestamp with time zone,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"closed_by" text,
	"close_reason" text,
	CONSTRAINT "card_cases_subject" UNIQUE("kind","subject_id"),
	CONSTRAINT "card_cases_kind" CHECK ("card_cases"."kind" in ('stand_in_shortfall', 'stand_in_excess', 'stand_in_blocked', 'unpaid_capture', 'over_capture', 'late_capture', 'refused_spend', 'dispute_loss', 'dispute_taken_back', 'uncredited_dispute', 'double_capture', 'contradictory_capture', 'unauthorized_payment', 'iban_mint_missing', 'iban_mint_duplicate', 'iban_mint_unordered', 'iban_recall', 'order_return', 'iban_to_close', 'refund_request', 'unbooked')),
	CONSTRAINT "card_cases_status" CHECK ("card_cases"."status" in ('OPEN', 'CLOSED')),
	CONSTRAINT "card_cases_about" CHECK ("card_cases"."subject_id" is not distinct from coalesce("card_cases"."dispute_id", "card_cases"."payment_id", "card_cases"."thread_id", "card_cases"."order_id", "card_cases"."iban_order_id", "card_cases"."mint_id", "card_cases"."user_id")),
	CONSTRAINT "card_cases_amount" CHECK ("card_cases"."amount_cents" >= 0),
	CONSTRAINT "card_cases_closed" CHECK (num_nulls("card_cases"."closed_at", "card_cases"."closed_by", "card_cases"."close_reason") in (0, case when "card_cases"."status" = 'CLOSED' then 0 else 3 end))
);
--> statement-breakpoint
CREATE TABLE "card_clearings" (
	"id" text NOT NULL,
	"payment_id" text NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"merchant_minor" bigint NOT NULL,
	"posted_at" timestamp with time zone NOT NULL,
	"processed_on" date,
	"network_reference" text,
	"fee_cents" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_clearings_payment_id_id_user_id_pk" PRIMARY KEY("payment_id","id","user_id"),
	CONSTRAINT "card_clearings_kind" CHECK ("card_clearings"."kind" in ('capture', 'refund', 'reversal', 'capture_reversal', 'refund_reversal')),
	CONSTRAINT "card_clearings_amount" CHECK (least("card_clearings"."amount_cents", "card_clearings"."merchant_minor", "card_clearings"."fee_cents") >= 0)
) PARTITION BY RANGE ("payment_id");
--> statement-breakpoint
CREATE TABLE "card_controls" (
	"card_id" text NOT NULL,
	"version" integer NOT NULL,
	"user_id" text NOT NULL,
	"controls" jsonb NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_controls_card_id_version_pk" PRIMARY KEY("card_id","version"),
	CONSTRAINT "card_controls_version" CHECK ("card_controls"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "card_debts" (
	"payment_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"owed" numeric(78,0) NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_debts_owed" CHECK ("card_debts"."owed" > 0)
);
--> statement-breakpoint
CREATE TABLE "card_decisions" (
	"payment_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"user_id" text NOT NULL,
	"asked_cents" bigint NOT NULL,
	"approved_cents" bigint NOT NULL,
	"fee_cents" bigint NOT NULL,
	"cashback_cents" bigint NOT NULL,
	"is_approved" boolean NOT NULL,
	"reason" text NOT NULL,
	"is_by_issuer" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_decisions_payment_id_ordinal_user_id_pk" PRIMARY KEY("payment_id","ordinal","user_id"),
	CONSTRAINT "card_decisions_amounts" CHECK ("card_decisions"."ordinal" >= 0 and "card_decisions"."approved_cents" >= 0 and ("card_decisions"."is_approved" or "card_decisions"."approved_cents" = 0))
) PARTITION BY RANGE ("payment_id");
--> statement-breakpoint
CREATE TABLE "card_disputes" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"user_id" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"issuer_dispute_id" text,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"claim_id" text,
	"amount_cents" bigint,
	"reinstated_cents" bigint DEFAULT 0 NOT NULL,
	"loss_reason" text,
	"submit_by" timestamp with time zone,
	"submitted_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"credit_due_at" timestamp with time zone,
	"credit_decided_at" timestamp with time zone,
	"credit_cents" bigint DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_disputes_payment_id" UNIQUE("payment_id"),
	CONSTRAINT "card_disputes_issuer_dispute_id" UNIQUE("issuer_dispute_id","issuer"),
	CONSTRAINT "card_disputes_reason" CHECK ("card_disputes"."reason" in ('purchase_cancelled_but_no_refund_received', 'problem_with_the_product_chargeback_', 'problem_with_service_subscription_chargeback', 'wrong_installment_number', 'wrong_value', 'charged_more_than_once', 'unrecognized_transaction_report_fraudulent')),
	CONSTRAINT "card_disputes_status" CHECK ("card_disputes"."status" in ('requested', 'created', 'submitted', 'won', 'lost', 'expired', 'taken_back', 'refused', 'withdrawn')),
	CONSTRAINT "card_disputes_amounts" CHECK ("card_disputes"."amount_cents" > 0 and "card_disputes"."reinstated_cents" >= 0),
	CONSTRAINT "card_disputes_credit" CHECK ("card_disputes"."credit_cents" >= 0 and ("card_disputes"."credit_cents" = 0 or ("card_disputes"."credit_due_at" is not null and "card_disputes"."credit_decided_at" is not null)))
);
--> statement-breakpoint
CREATE TABLE "card_envelopes" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"issue_id" text,
	"encrypted_key" text,
	"encrypted_data" text,
	"iv" text,
	"outcome" text,
	"card_id" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_envelopes_issue_id" UNIQUE("issue_id"),
	CONSTRAINT "card_envelopes_outcome" CHECK ("card_envelopes"."outcome" in ('matched', 'unreadable', 'unknown', 'void')),
	CONSTRAINT "card_envelopes_emptied" CHECK (num_nonnulls("card_envelopes"."encrypted_key", "card_envelopes"."encrypted_data", "card_envelopes"."iv") = case when "card_envelopes"."outcome" is null then 3 else 0 end)
);
--> statement-breakpoint
CREATE TABLE "card_issues" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"order_id" text,
	"request_key" text,
	"virtual" boolean NOT NULL,
	"embossed_name" text,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"sealed_pin" text,
	"issuer_controls" jsonb,
	"reason" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_issues_status" CHECK ("card_issues"."status" in ('open', 'issued', 'refused')),
	CONSTRAINT "card_issues_sealed_pin" CHECK ("card_issues"."sealed_pin" is null or "card_issues"."status" = 'open'),
	CONSTRAINT "card_issues_reason" CHECK (("card_issues"."status" = 'refused') = ("card_issues"."reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "card_payments" (
	"id" text NOT NULL,
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
	"captured_minor" bigint DEFAULT 0 NOT NULL,
	"merchant_currency" text NOT NULL,
	"merchant_name" text,
	"merchant_city" text,
	"merchant_country" text,
	"mcc" text NOT NULL,
	"merchant_network_id" text,
	"channel" text,
	"transaction_type" text NOT NULL,
	"wallet_token_id" text,
	"three_d_secure" text,
	"authentication_exemption" text,
	"target" numeric(78,0) NOT NULL,
	"owed" numeric(78,0) NOT NULL,
	"set_off" numeric(78,0) NOT NULL,
	"credit" numeric(78,0) DEFAULT 0 NOT NULL,
	"written_off" numeric(78,0) DEFAULT 0 NOT NULL,
	"excess_cents" bigint NOT NULL,
	"hold_ended_at" timestamp with time zone,
	"matched_thread_id" text,
	"version" integer NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"cleared_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_payments_id_user_id_pk" PRIMARY KEY("id","user_id"),
	CONSTRAINT "card_payments_decline" CHECK (("card_payments"."status" <> 'DECLINED' or "card_payments"."decline_result" is not null) and ("card_payments"."decline_result" is null or "card_payments"."decline_result" in ('Approved', 'IncorrectPin', 'InsufficientFunds', 'ExceedsApprovalAmountLimit', 'InvalidAmount', 'PinEntryTriesExceeded', 'IncorrectSecurityCode', 'Reversal', 'PartialReversal', 'Other'))),
	CONSTRAINT "card_payments_amounts" CHECK (least("card_payments"."authorized_cents", "card_payments"."reversed_cents", "card_payments"."captured_cents", "card_payments"."refunded_cents", "card_payments"."merchant_minor") >= 0),
	CONSTRAINT "card_payments_channel" CHECK ("card_payments"."channel" in ('online', 'chip', 'contactless', 'magstripe', 'cash_machine', 'keyed')),
	CONSTRAINT "card_payments_debt" CHECK (least("card_payments"."owed", "card_payments"."credit", "card_payments"."written_off") >= 0 and "card_payments"."excess_cents" >= 0)
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "card_rule_hits" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"version" integer NOT NULL,
	"state" text NOT NULL,
	"reason" text NOT NULL,
	"payment_id" text NOT NULL,
	"user_id" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_rule_hits_state" CHECK ("card_rule_hits"."state" in ('ACTIVE', 'SHADOW'))
);
--> statement-breakpoint
CREATE TABLE "card_rule_stamps" (
	"name" text PRIMARY KEY NOT NULL,
	"stamp" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "card_rule_versions" (
	"rule_id" text NOT NULL,
	"version" integer NOT NULL,
	"state" text NOT NULL,
	"definition" jsonb NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"state_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_rule_versions_rule_id_version_pk" PRIMARY KEY("rule_id","version"),
	CONSTRAINT "card_rule_versions_state" CHECK ("card_rule_versions"."state" in ('ACTIVE', 'SHADOW', 'INACTIVE')),
	CONSTRAINT "card_rule_versions_version" CHECK ("card_rule_versions"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "card_rules" (
	"id" text PRIMARY KEY NOT NULL,
	"scope" text NOT NULL,
	"subject_id" text,
	"user_id" text,
	"owner" text NOT NULL,
	"owner_id" text,
	"name" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_rules_scope" CHECK ("card_rules"."scope" in ('programme', 'partner', 'user', 'card')),
	CONSTRAINT "card_rules_owner_kind" CHECK ("card_rules"."owner" in ('operator', 'partner', 'user')),
	CONSTRAINT "card_rules_subject" CHECK (("card_rules"."scope" = 'programme') = ("card_rules"."subject_id" is null) and ("card_rules"."scope" in ('user', 'card')) = ("card_rules"."user_id" is not null)),
	CONSTRAINT "card_rules_owner_id" CHECK (("card_rules"."owner" = 'operator') = ("card_rules"."owner_id" is null))
);
--> statement-breakpoint
CREATE TABLE "card_stand_ins" (
	"payment_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"decision" text NOT NULL,
	"approved_cents" bigint NOT NULL,
	"alone_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"reason" text NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_stand_ins_decision" CHECK ("card_stand_ins"."decision" in ('APPROVED', 'DECLINED')),
	CONSTRAINT "card_stand_ins_amount" CHECK ("card_stand_ins"."alone_cents" between 0 and "card_stand_ins"."approved_cents")
);
--> statement-breakpoint
CREATE TABLE "card_threads" (
	"thread_id" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"payment_id" text NOT NULL,
	"user_id" text NOT NULL,
	CONSTRAINT "card_threads_thread_id_issuer_pk" PRIMARY KEY("thread_id","issuer")
) PARTITION BY HASH ("thread_id");
--> statement-breakpoint
CREATE TABLE "card_transfers" (
	"id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"payment_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"clearing_id" text,
	"direction" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"is_collection" boolean NOT NULL,
	"is_by_hand" boolean DEFAULT false NOT NULL,
	"dispute_id" text,
	"to" text NOT NULL,
	"data" text NOT NULL,
	"salt" text NOT NULL,
	"message_hash" text,
	"status" text NOT NULL,
	"hash" text,
	"ended_block" bigint,
	"reason" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "card_transfers_payment_id_ordinal_user_id_pk" PRIMARY KEY("payment_id","ordinal","user_id"),
	CONSTRAINT "card_transfers_id" CHECK ("card_transfers"."id" = "card_transfers"."payment_id" || ':' || "card_transfers"."ordinal"),
	CONSTRAINT "card_transfers_amount" CHECK ("card_transfers"."amount" > 0),
	CONSTRAINT "card_transfers_by_hand" CHECK (not "card_transfers"."is_by_hand" or "card_transfers"."direction" = 'return'),
	CONSTRAINT "card_transfers_spend" CHECK (("card_transfers"."direction" = 'spend') = ("card_transfers"."message_hash" is not null)),
	CONSTRAINT "card_transfers_evidence" CHECK (("card_transfers"."status" <> 'DONE' or "card_transfers"."hash" is not null) and ("card_transfers"."status" <> 'FAILED' or "card_transfers"."reason" is not null))
) PARTITION BY RANGE ("payment_id");
--> statement-breakpoint
CREATE TABLE "cardholders" (
	"user_id" text PRIMARY KEY NOT NULL,
	"issuer_id" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"status" text,
	"disabled_reason" text,
	"past_due" text,
	"reported_at" timestamp with time zone,
	"issuer_status" text DEFAULT 'active' NOT NULL,
	"issuer_synced_status" text DEFAULT 'active' NOT NULL,
	"issuer_details" text,
	"issuer_synced_details" text,
	"issuer_refused_details" text,
	"issuer_call_ends_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cardholders_issuer_id" UNIQUE("issuer_id","issuer"),
	CONSTRAINT "cardholders_issuer_status" CHECK ("cardholders"."issuer_status" in ('active', 'inactive')),
	CONSTRAINT "cardholders_issuer_synced_status" CHECK ("cardholders"."issuer_synced_status" in ('active', 'inactive'))
);
--> statement-breakpoint
CREATE TABLE "cards" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"order_id" text,
	"card_token" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"last_four_digits" text NOT NULL,
	"embossed_name" text,
	"virtual" boolean NOT NULL,
	"status_code" text NOT NULL,
	"activated_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"shipping_status" text,
	"fraud_warning_type" text,
	"fraud_warned_at" timestamp with time zone,
	"issuer_status" text NOT NULL,
	"issuer_synced_status" text NOT NULL,
	"issuer_controls" text,
	"issuer_synced_controls" text,
	"issuer_call_ends_at" timestamp with time zone,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cards_order_id" UNIQUE("order_id"),
	CONSTRAINT "cards_card_token" UNIQUE("card_token","issuer"),
	CONSTRAINT "cards_status_code" CHECK ("cards"."status_code" in ('1000', '1005', '1009', '1041', '1043', '1054', '1062')),
	CONSTRAINT "cards_shipping_status" CHECK ("cards"."shipping_status" in ('ordered', 'shipped', 'delivered', 'failed', 'returned', 'cancelled')),
	CONSTRAINT "cards_issuer_status" CHECK ("cards"."issuer_status" in ('active', 'inactive', 'canceled')),
	CONSTRAINT "cards_issuer_synced_status" CHECK ("cards"."issuer_synced_status" in ('active', 'inactive', 'canceled')),
	CONSTRAINT "cards_last_four" CHECK ("cards"."last_four_digits" ~ '^[0-9]{4}$'),
	CONSTRAINT "cards_virtual" CHECK (not "cards"."virtual" or ("cards"."activated_at" is not null and "cards"."shipping_status" is null)),
	CONSTRAINT "cards_ended" CHECK ("cards"."status_code" not in ('1009', '1041', '1043', '1054', '1062') or "cards"."issuer_status" = 'canceled')
);
--> statement-breakpoint
CREATE TABLE "chain_blocks" (
	"block_number" bigint PRIMARY KEY NOT NULL,
	"block_hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_cursor" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"reorganisations" integer NOT NULL,
	"compared_block" bigint
);
--> statement-breakpoint
CREATE TABLE "checked_blocks" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"block_number" bigint NOT NULL,
	"policy_version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chores" (
	"name" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"succeeded_at" timestamp with time zone,
	"worker" text
);
--> statement-breakpoint
CREATE TABLE "clock" (
	"id" integer PRIMARY KEY NOT NULL,
	"offset_seconds" bigint NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "contact_changes" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"former" text NOT NULL,
	"value" text NOT NULL,
	"token_hash" text NOT NULL,
	"operator" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"outcome" text,
	CONSTRAINT "contact_changes_token_hash" UNIQUE("token_hash"),
	CONSTRAINT "contact_changes_kind" CHECK ("contact_changes"."kind" in ('email', 'phone')),
	CONSTRAINT "contact_changes_outcome" CHECK ("contact_changes"."outcome" in ('changed', 'refused', 'expired', 'withdrawn')),
	CONSTRAINT "contact_changes_ended" CHECK (("contact_changes"."ended_at" is null) = ("contact_changes"."outcome" is null))
);
--> statement-breakpoint
CREATE TABLE "coupon_redemptions" (
	"code" text NOT NULL,
	"user_id" text NOT NULL,
	"order_id" text NOT NULL,
	"redeemed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "coupon_redemptions_order_id_code_pk" PRIMARY KEY("order_id","code")
);
--> statement-breakpoint
CREATE TABLE "coupons" (
	"code" text PRIMARY KEY NOT NULL,
	"percent" integer,
	"amount_eur" numeric(12, 2),
	"redemptions_max" integer,
	"per_user_max" integer,
	"redemptions" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone,
	"active" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "coupons_one_discount" CHECK (num_nonnulls("coupons"."percent", "coupons"."amount_eur") = 1),
	CONSTRAINT "coupons_percent" CHECK ("coupons"."percent" between 1 and 100),
	CONSTRAINT "coupons_per_user" CHECK ("coupons"."per_user_max" >= 1),
	CONSTRAINT "coupons_amount" CHECK ("coupons"."amount_eur" > 0),
	CONSTRAINT "coupons_redemptions" CHECK ("coupons"."redemptions" between 0 and coalesce("coupons"."redemptions_max", "coupons"."redemptions"))
);
--> statement-breakpoint
CREATE TABLE "decision_hours" (
	"hour" timestamp with time zone NOT NULL,
	"reason" text NOT NULL,
	"ms_max" integer NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "decision_hours_hour_reason_ms_max_pk" PRIMARY KEY("hour","reason","ms_max")
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
	"enqueued_block" bigint,
	"ended_block" bigint,
	"ready_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"reason" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "delay_transactions_enqueue_task_id" UNIQUE("enqueue_task_id"),
	CONSTRAINT "delay_transactions_status" CHECK ("delay_transactions"."status" in ('QUEUING', 'WAITING', 'EXECUTING', 'EXECUTED', 'FAILED')),
	CONSTRAINT "delay_transactions_queued" CHECK ("delay_transactions"."status" in ('QUEUING', 'FAILED') or ("delay_transactions"."queue_nonce" is not null and "delay_transactions"."ready_at" is not null)),
	CONSTRAINT "delay_transactions_evidence" CHECK ("delay_transactions"."status" <> 'EXECUTED' or "delay_transactions"."executed_hash" is not null),
	CONSTRAINT "delay_transactions_reason" CHECK ("delay_transactions"."status" <> 'FAILED' or "delay_transactions"."reason" is not null)
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"event_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"position" bigint NOT NULL,
	"status" text NOT NULL,
	"attempts" integer NOT NULL,
	"schedule_from" integer NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "deliveries_status" CHECK ("deliveries"."status" in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED', 'KEPT'))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"status" integer,
	"error" text,
	"duration_ms" integer NOT NULL,
	CONSTRAINT "delivery_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
CREATE TABLE "delivery_hours" (
	"partner_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"succeeded" bigint NOT NULL,
	"failed" bigint NOT NULL,
	CONSTRAINT "delivery_hours_partner_id_hour_pk" PRIMARY KEY("partner_id","hour")
);
--> statement-breakpoint
CREATE TABLE "discrepancies" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"action" text,
	"subject_id" text,
	"details" jsonb,
	"found_at" timestamp with time zone NOT NULL,
	"resolved_at" timestamp with time zone,
	CONSTRAINT "discrepancies_kind" CHECK ("discrepancies"."kind" in ('entry', 'transfer', 'thread', 'card', 'order', 'verdict', 'profile', 'safe', 'nonce')),
	CONSTRAINT "discrepancies_resolved" CHECK (("discrepancies"."action" is null) = ("discrepancies"."resolved_at" is null))
);
--> statement-breakpoint
CREATE TABLE "dispute_evidence" (
	"payment_id" text NOT NULL,
	"slot" text NOT NULL,
	"user_id" text NOT NULL,
	"sealed" text,
	"fields" jsonb NOT NULL,
	"media_type" text,
	"size" integer,
	"issuer_file_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"handed_at" timestamp with time zone,
	CONSTRAINT "dispute_evidence_payment_id_slot_pk" PRIMARY KEY("payment_id","slot"),
	CONSTRAINT "dispute_evidence_slot" CHECK ("dispute_evidence"."slot" in ('text', 'additionalDocumentation', 'cardStatement', 'cashReceipt', 'checkImage')),
	CONSTRAINT "dispute_evidence_sealed" CHECK (("dispute_evidence"."sealed" is null) = ("dispute_evidence"."handed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "emoney_callbacks" (
	"id" text NOT NULL,
	"institution" text DEFAULT 'monerium' NOT NULL,
	"user_id" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "emoney_callbacks_id_institution_pk" PRIMARY KEY("id","institution")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" text NOT NULL,
	"request_id" text NOT NULL,
	"event_type" text NOT NULL,
	"data" jsonb NOT NULL,
	"is_pending" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "foreign_entries" (
	"delay_address" text NOT NULL,
	"queue_nonce" bigint NOT NULL,
	"to" text NOT NULL,
	"value" numeric(78,0) NOT NULL,
	"data" text NOT NULL,
	"enqueued_hash" text NOT NULL,
	"enqueued_block" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "foreign_entries_delay_address_queue_nonce_pk" PRIMARY KEY("delay_address","queue_nonce")
);
--> statement-breakpoint
CREATE TABLE "iban_orders" (
	"id" text NOT NULL,
	"institution" text DEFAULT 'monerium' NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric NOT NULL,
	"address" text NOT NULL,
	"counterpart" jsonb NOT NULL,
	"state" text NOT NULL,
	"memo" text,
	"reference_number" text,
	"placed_at" timestamp with time zone NOT NULL,
	"processed_at" timestamp with time zone,
	"rejected_reason" text,
	"tx_hashes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"mint_hash" text,
	"mint_index" integer,
	"unmatched_at" timestamp with time zone,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "iban_orders_id_institution_pk" PRIMARY KEY("id","institution"),
	CONSTRAINT "iban_orders_mint" UNIQUE("mint_hash","mint_index"),
	CONSTRAINT "iban_orders_matched" CHECK (num_nulls("iban_orders"."mint_hash", "iban_orders"."mint_index") in (0, 2)),
	CONSTRAINT "iban_orders_kind" CHECK ("iban_orders"."kind" in ('redeem', 'issue')),
	CONSTRAINT "iban_orders_currency" CHECK ("iban_orders"."currency" in ('eur', 'usd', 'gbp', 'isk')),
	CONSTRAINT "iban_orders_state" CHECK ("iban_orders"."state" in ('placed', 'pending', 'processed', 'rejected')),
	CONSTRAINT "iban_orders_amount" CHECK ("iban_orders"."amount" > 0 and "iban_orders"."amount" < 'Infinity')
);
--> statement-breakpoint
CREATE TABLE "ibans" (
	"user_id" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"status" text NOT NULL,
	"address" text,
	"signature" text,
	"profile_id" text NOT NULL,
	"linked_profile_id" text,
	"institution" text DEFAULT 'monerium' NOT NULL,
	"attempt" text,
	"sealed_token" text,
	"iban" text,
	"bic" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ibans_id" UNIQUE("id"),
	CONSTRAINT "ibans_profile_id" UNIQUE("profile_id"),
	CONSTRAINT "ibans_iban" UNIQUE("iban"),
	CONSTRAINT "ibans_linked_profile_id" UNIQUE("linked_profile_id","institution"),
	CONSTRAINT "ibans_status" CHECK ("ibans"."status" in ('NOTSTARTED', 'PENDING', 'PENDING_OAUTH', 'ASSIGNED')),
	CONSTRAINT "ibans_assigned" CHECK (("ibans"."status" = 'ASSIGNED') = ("ibans"."iban" is not null)),
	CONSTRAINT "ibans_pending" CHECK ("ibans"."status" not in ('PENDING', 'ASSIGNED') or num_nulls("ibans"."address", "ibans"."signature") = 0)
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
CREATE TABLE "identity_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"level" text,
	"verified_at" timestamp with time zone NOT NULL,
	"sealed" text NOT NULL,
	"disclosed_to" jsonb DEFAULT '{}' NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "issuer_callbacks" (
	"id" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"type" text NOT NULL,
	"object_id" text,
	"outcome" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "issuer_callbacks_id_issuer_pk" PRIMARY KEY("id","issuer"),
	CONSTRAINT "issuer_callbacks_outcome" CHECK ("issuer_callbacks"."outcome" in ('handled', 'ignored', 'unmatched', 'unknown'))
);
--> statement-breakpoint
CREATE TABLE "kyc_applications" (
	"user_id" text PRIMARY KEY NOT NULL,
	"applicant_id" text NOT NULL,
	"provider" text DEFAULT 'sumsub' NOT NULL,
	"last_event_at_ms" bigint NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kyc_applications_applicant_id" UNIQUE("applicant_id","provider")
);
--> statement-breakpoint
CREATE TABLE "kyc_callbacks" (
	"id" text NOT NULL,
	"provider" text DEFAULT 'sumsub' NOT NULL,
	"user_id" text NOT NULL,
	"body" jsonb NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kyc_callbacks_id_provider_pk" PRIMARY KEY("id","provider")
);
--> statement-breakpoint
CREATE TABLE "kyc_checks" (
	"user_id" text PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"answered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"id" text NOT NULL,
	"payment_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"safe" numeric(78,0) DEFAULT 0 NOT NULL,
	"held" numeric(78,0) DEFAULT 0 NOT NULL,
	"settlement" numeric(78,0) DEFAULT 0 NOT NULL,
	"owed" numeric(78,0) DEFAULT 0 NOT NULL,
	"advanced" numeric(78,0) DEFAULT 0 NOT NULL,
	"written_off" numeric(78,0) DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_entries_payment_id_id_user_id_pk" PRIMARY KEY("payment_id","id","user_id"),
	CONSTRAINT "ledger_entries_balance" CHECK ("ledger_entries"."safe" + "ledger_entries"."held" + "ledger_entries"."settlement" + "ledger_entries"."owed" + "ledger_entries"."advanced" + "ledger_entries"."written_off" = 0)
) PARTITION BY RANGE ("payment_id");
--> statement-breakpoint
CREATE TABLE "legal_holds" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"reason" text NOT NULL,
	"placed_by" text NOT NULL,
	"placed_at" timestamp with time zone NOT NULL,
	"lifted_by" text,
	"lifted_at" timestamp with time zone,
	CONSTRAINT "legal_holds_lifted" CHECK (("legal_holds"."lifted_at" is null) = ("legal_holds"."lifted_by" is null))
);
--> statement-breakpoint
CREATE TABLE "live_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "live_transfers_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"payment_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"user_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"direction" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"is_collection" boolean NOT NULL,
	"message_hash" text,
	"status" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "movements" (
	"safe_id" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"party" text NOT NULL,
	"hash" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"stated_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "movements_safe_id_block_number_log_index_pk" PRIMARY KEY("safe_id","block_number","log_index"),
	CONSTRAINT "movements_amount" CHECK ("movements"."amount" <> 0)
);
--> statement-breakpoint
CREATE TABLE "nonces" (
	"value" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_states" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"sealed_verifier" text NOT NULL,
	"callback_url" text,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "open_relays" (
	"relay_transaction_id" text PRIMARY KEY NOT NULL,
	"relayer" text NOT NULL,
	"nonce" bigint NOT NULL,
	"purpose" text NOT NULL,
	"subject_id" text NOT NULL,
	"status" text NOT NULL,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_actions" (
	"id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operator_id" text NOT NULL,
	"operator_name" text NOT NULL,
	"via" text NOT NULL,
	"proof" text NOT NULL,
	"verb" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	"request_id" text NOT NULL,
	"approval_id" text,
	"approver_id" text,
	"approver_name" text,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "operator_actions_sequence_id_pk" PRIMARY KEY("sequence","id"),
	CONSTRAINT "operator_actions_via" CHECK ("operator_actions"."via" in ('cli', 'page', 'sandbox', 'worker')),
	CONSTRAINT "operator_actions_proof" CHECK ("operator_actions"."proof" in ('oidc', 'key', 'machine', 'sandbox', 'service')),
	CONSTRAINT "operator_actions_approver" CHECK (("operator_actions"."approval_id" is null) = ("operator_actions"."approver_id" is null) and ("operator_actions"."approver_id" is null) = ("operator_actions"."approver_name" is null))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "operator_alerts" (
	"key" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"path" text NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"webhook_at" timestamp with time zone,
	"mailed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "operator_approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"verb" text NOT NULL,
	"input" jsonb NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"status" text NOT NULL,
	"asked_by_id" text NOT NULL,
	"asked_by_name" text NOT NULL,
	"asked_via" text NOT NULL,
	"asked_proof" text NOT NULL,
	"asked_roles" text[] NOT NULL,
	"reason" text,
	"request_id" text NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_by_id" text,
	"decided_by_name" text,
	"decided_at" timestamp with time zone,
	CONSTRAINT "operator_approvals_status" CHECK ("operator_approvals"."status" in ('WAITING', 'APPROVED', 'REJECTED', 'EXPIRED')),
	CONSTRAINT "operator_approvals_decided" CHECK (("operator_approvals"."status" = 'WAITING') = ("operator_approvals"."decided_at" is null)),
	CONSTRAINT "operator_approvals_two" CHECK ("operator_approvals"."status" <> 'APPROVED' or coalesce("operator_approvals"."decided_by_id" <> "operator_approvals"."asked_by_id", false))
);
--> statement-breakpoint
CREATE TABLE "operator_chain" (
	"id" integer PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"way" text NOT NULL,
	"proof" text NOT NULL,
	"issuer" text,
	"subject" text NOT NULL,
	"provider_session" text,
	"name" text NOT NULL,
	"mail" text,
	"groups" jsonb NOT NULL,
	"sealed_refresh_token" text,
	"refresh_at" timestamp with time zone,
	"started_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"ending" text,
	CONSTRAINT "operator_sessions_secret" UNIQUE("secret_hash"),
	CONSTRAINT "operator_sessions_way" CHECK ("operator_sessions"."way" in ('page', 'cli')),
	CONSTRAINT "operator_sessions_proof" CHECK ("operator_sessions"."proof" in ('oidc', 'key')),
	CONSTRAINT "operator_sessions_issuer" CHECK (("operator_sessions"."proof" = 'oidc') = ("operator_sessions"."issuer" is not null)),
	CONSTRAINT "operator_sessions_ended" CHECK (("operator_sessions"."ended_at" is null) = ("operator_sessions"."ending" is null)),
	CONSTRAINT "operator_sessions_refresh" CHECK (("operator_sessions"."sealed_refresh_token" is null) = ("operator_sessions"."refresh_at" is null))
);
--> statement-breakpoint
CREATE TABLE "operator_sign_ins" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"nonce" text NOT NULL,
	"sealed_verifier" text NOT NULL,
	"next" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "order_returns" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"user_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"recipient" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"signed_at" timestamp with time zone,
	"hash" text,
	"paid_at" timestamp with time zone,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "order_returns_ordinal" UNIQUE("order_id","ordinal"),
	CONSTRAINT "order_returns_amount" CHECK ("order_returns"."amount" > 0),
	CONSTRAINT "order_returns_paid" CHECK (("order_returns"."hash" is null) = ("order_returns"."paid_at" is null))
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"status" text NOT NULL,
	"personalization_source" text NOT NULL,
	"virtual" boolean NOT NULL,
	"embossed_name" text,
	"address1" text,
	"address2" text,
	"city" text,
	"postal_code" text,
	"state" text,
	"country" text,
	"coupon_code" text,
	"total_eur_cents" bigint NOT NULL,
	"discount_eur_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"total_cents" bigint NOT NULL,
	"transaction_hash" text,
	"payment_block" bigint,
	"paid_at" timestamp with time zone,
	"paid_amount" numeric(78,0),
	"paid_by" text,
	"asked_at" timestamp with time zone,
	"confirmed_at" timestamp with time zone,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "orders_status" CHECK ("orders"."status" in ('PENDINGTRANSACTION', 'TRANSACTIONCOMPLETE', 'CONFIRMATIONREQUIRED', 'READY', 'CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED')),
	CONSTRAINT "orders_source" CHECK ("orders"."personalization_source" in ('KYC', 'ENS')),
	CONSTRAINT "orders_discount" CHECK ("orders"."discount_eur_cents" between 0 and "orders"."total_eur_cents"),
	CONSTRAINT "orders_currency" CHECK ("orders"."currency" in ('EUR', 'GBP', 'USD')),
	CONSTRAINT "orders_total" CHECK ("orders"."total_cents" >= 0 and ("orders"."currency" <> 'EUR' or "orders"."total_cents" = "orders"."total_eur_cents")),
	CONSTRAINT "orders_payment" CHECK (num_nulls("orders"."payment_block", "orders"."paid_at", "orders"."paid_amount", "orders"."paid_by") in (0, 4) and ("orders"."paid_at" is null or "orders"."transaction_hash" is not null)),
	CONSTRAINT "orders_paid" CHECK (not ("orders"."status" in ('TRANSACTIONCOMPLETE', 'CONFIRMATIONREQUIRED', 'READY', 'CARDCREATED')) or "orders"."paid_at" is not null or ("orders"."status" in ('READY', 'CARDCREATED') and "orders"."discount_eur_cents" = "orders"."total_eur_cents"))
);
--> statement-breakpoint
CREATE TABLE "partner_domains" (
	"domain" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partner_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"scopes" text[],
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"used_at" timestamp with time zone,
	CONSTRAINT "partner_keys_scopes" CHECK ("partner_keys"."scopes" <@ array['events', 'rules', 'users']::text[])
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"contact" text,
	"webhook_url" text,
	"payload" text NOT NULL,
	"has_all_events" boolean DEFAULT false NOT NULL,
	"webhook_status" text DEFAULT 'ACTIVE' NOT NULL,
	"webhook_reason" text,
	"failing_since" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"numbered_by" text,
	"feed_gaps" jsonb DEFAULT '[]' NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "partners_payload" CHECK ("partners"."payload" in ('full', 'thin')),
	CONSTRAINT "partners_webhook_status" CHECK ("partners"."webhook_status" in ('ACTIVE', 'DISABLED'))
);
--> statement-breakpoint
CREATE TABLE "payment_hashes" (
	"hash" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"claimed_at" timestamp with time zone NOT NULL,
	"proven_at" timestamp with time zone,
	CONSTRAINT "payment_hashes_order_id" UNIQUE("order_id")
);
--> statement-breakpoint
CREATE TABLE "person_keys" (
	"user_id" text PRIMARY KEY NOT NULL,
	"sealed_key" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "published_balances" (
	"safe_id" text PRIMARY KEY NOT NULL,
	"total" numeric(78,0) NOT NULL,
	"pending" numeric(78,0) NOT NULL,
	"published_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "published_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "question_sets" (
	"id" text PRIMARY KEY NOT NULL,
	"questions" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_entries" (
	"delay_address" text NOT NULL,
	"queue_nonce" bigint NOT NULL,
	"kind" text,
	"block_number" bigint NOT NULL,
	CONSTRAINT "queue_entries_delay_address_queue_nonce_pk" PRIMARY KEY("delay_address","queue_nonce")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"granted" integer NOT NULL,
	"last_grant" integer NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "reconciliations_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"reason" text NOT NULL,
	"evidence" text,
	"database_identity" text NOT NULL,
	"from_block" bigint,
	"steps" text[] DEFAULT '{}' NOT NULL,
	"orders_after" text,
	"request_id" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "reconciliations_reason" CHECK ("reconciliations"."reason" in ('first', 'restored', 'daily', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "reference_rates" (
	"currency" text NOT NULL,
	"day" date NOT NULL,
	"rate" numeric NOT NULL,
	"source" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reference_rates_currency_day_pk" PRIMARY KEY("currency","day"),
	CONSTRAINT "reference_rates_rate" CHECK ("reference_rates"."rate" > 0 and "reference_rates"."rate" < 'Infinity')
);
--> statement-breakpoint
CREATE TABLE "relay_attempts" (
	"hash" text NOT NULL,
	"relay_transaction_id" text NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas" numeric(78,0) NOT NULL,
	"max_priority_fee_per_gas" numeric(78,0) NOT NULL,
	"broadcast_at" timestamp with time zone,
	"refusal" text,
	"resent_at" timestamp with time zone,
	"resends" integer DEFAULT 0 NOT NULL,
	"is_cancellation" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "relay_attempts_relay_transaction_id_hash_pk" PRIMARY KEY("relay_transaction_id","hash")
) PARTITION BY RANGE ("relay_transaction_id");
--> statement-breakpoint
CREATE TABLE "relay_nonces" (
	"relayer" text NOT NULL,
	"nonce" bigint NOT NULL,
	"relay_transaction_id" text NOT NULL,
	CONSTRAINT "relay_transactions_nonce" PRIMARY KEY("relayer","nonce")
) PARTITION BY HASH ("relayer", "nonce");
--> statement-breakpoint
CREATE TABLE "relay_subjects" (
	"relay_transaction_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"purpose" text NOT NULL,
	"request_id" text NOT NULL,
	CONSTRAINT "relay_subjects_relay_transaction_id_subject_id_pk" PRIMARY KEY("relay_transaction_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "relay_transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"subject_id" text NOT NULL,
	"request_id" text NOT NULL,
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
	"mined_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"lost_to_hash" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "relay_transactions_status" CHECK ("relay_transactions"."status" in ('SIGNED', 'ROLLED_BACK', 'MINED', 'REVERTED', 'LOST')),
	CONSTRAINT "relay_transactions_lost" CHECK ("relay_transactions"."status" <> 'LOST' or "relay_transactions"."lost_at" is not null)
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "relayers" (
	"address" text PRIMARY KEY NOT NULL,
	"next_nonce" bigint NOT NULL,
	"state" text DEFAULT 'ACTIVE' NOT NULL,
	"gathering_until" timestamp with time zone,
	"foreign_count" bigint DEFAULT 0 NOT NULL,
	"foreign_seen_at" timestamp with time zone,
	CONSTRAINT "relayers_state" CHECK ("relayers"."state" in ('ACTIVE', 'DRAINING', 'RETIRED'))
);
--> statement-breakpoint
CREATE TABLE "removed_sign_in_wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"removed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "restricted_records" (
	"user_id" text NOT NULL,
	"record_class" text NOT NULL,
	"sealed" text NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "restricted_records_user_id_record_class_pk" PRIMARY KEY("user_id","record_class"),
	CONSTRAINT "restricted_records_class" CHECK ("restricted_records"."record_class" in ('identity', 'payments'))
);
--> statement-breakpoint
CREATE TABLE "reverted_gas" (
	"relay_transaction_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"safe_id" text NOT NULL,
	"user_id" text NOT NULL,
	"cost" numeric(78,0) NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reverted_gas_relay_transaction_id_subject_id_pk" PRIMARY KEY("relay_transaction_id","subject_id")
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
	"set_up_by" text NOT NULL,
	"creator" text NOT NULL,
	"spender" text NOT NULL,
	"token_symbol" text,
	"daily_limit" numeric(78,0),
	"cooldown_seconds" integer NOT NULL,
	"expiration_seconds" integer NOT NULL,
	"set_up_hash" text,
	"set_up_data" text,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"reason" text,
	"deployed_block" bigint,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "safes_status" CHECK ("safes"."status" in ('processing', 'created', 'settingUp', 'ok', 'failed', 'reset')),
	CONSTRAINT "safes_currency" CHECK (("safes"."token_symbol" is null) = ("safes"."daily_limit" is null)),
	CONSTRAINT "safes_in_service" CHECK ("safes"."status" <> 'ok' or "safes"."token_symbol" is not null),
	CONSTRAINT "safes_setting_up" CHECK ("safes"."status" <> 'settingUp' or ("safes"."token_symbol" is not null and "safes"."set_up_hash" is not null and "safes"."set_up_data" is not null))
);
--> statement-breakpoint
CREATE TABLE "setting_keys" (
	"setting" text NOT NULL,
	"key_id" text NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"held_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"lacked_at" timestamp with time zone,
	CONSTRAINT "setting_keys_setting_key_id_pk" PRIMARY KEY("setting","key_id")
);
--> statement-breakpoint
CREATE TABLE "settlement_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "settlement_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token" text NOT NULL,
	"amount" numeric(78,0) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlement_funds" (
	"token" text PRIMARY KEY NOT NULL,
	"folded" numeric(78,0) NOT NULL,
	"required" numeric(78,0) NOT NULL,
	"balance" numeric(78,0) NOT NULL,
	"short_since" timestamp with time zone,
	"compared_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"address" text NOT NULL,
	"proven_at" timestamp with time zone,
	"is_added" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signer_reports" (
	"worker_id" text NOT NULL,
	"address" text NOT NULL,
	"kind" text NOT NULL,
	"fault" text,
	"reason" text,
	"failing_since" timestamp with time zone,
	"is_paused" boolean NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "signer_reports_worker_id_address_pk" PRIMARY KEY("worker_id","address")
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
CREATE TABLE "statements" (
	"user_id" text NOT NULL,
	"month" text NOT NULL,
	"document" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "statements_user_id_month_pk" PRIMARY KEY("user_id","month"),
	CONSTRAINT "statements_month" CHECK ("statements"."month" ~ '^[0-9]{4}-(0[1-9]|1[0-2])$')
);
--> statement-breakpoint
CREATE TABLE "stop_switches" (
	"name" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"operator" text NOT NULL,
	"stopped_at" timestamp with time zone NOT NULL,
	CONSTRAINT "stop_switches_name" CHECK ("stop_switches"."name" in ('sign-ups', 'card-payments', 'card-orders', 'withdrawals', 'deliveries'))
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
CREATE TABLE "terms_acceptances" (
	"user_id" text NOT NULL,
	"type" text NOT NULL,
	"version" text NOT NULL,
	"accepted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "terms_acceptances_user_id_type_version_pk" PRIMARY KEY("user_id","type","version")
);
--> statement-breakpoint
CREATE TABLE "terms_versions" (
	"type" text NOT NULL,
	"version" text NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "terms_versions_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"published_at" timestamp with time zone NOT NULL,
	CONSTRAINT "terms_versions_type_version_pk" PRIMARY KEY("type","version")
);
--> statement-breakpoint
CREATE TABLE "top_ups" (
	"id" text PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"hash" text
);
--> statement-breakpoint
CREATE TABLE "unmatched_threads" (
	"thread_id" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"reason" text NOT NULL,
	"currency" text NOT NULL,
	"amount_minor" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	CONSTRAINT "unmatched_threads_thread_id_issuer_pk" PRIMARY KEY("thread_id","issuer"),
	CONSTRAINT "unmatched_threads_reason" CHECK ("unmatched_threads"."reason" in ('currency', 'card', 'archived', 'type', 'sign', 'duplicate', 'credit', 'unreadable'))
);
--> statement-breakpoint
CREATE TABLE "user_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"about" text NOT NULL,
	"subject_id" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_messages_subject" UNIQUE("about","subject_id"),
	CONSTRAINT "user_messages_kind" CHECK ("user_messages"."kind" in ('payments', 'declines', 'refunds', 'signIns', 'withdrawals', 'cards')),
	CONSTRAINT "user_messages_about" CHECK ("user_messages"."about" in ('event', 'withdrawal', 'wallet'))
);
--> statement-breakpoint
CREATE TABLE "user_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"hash" text NOT NULL,
	"made_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"used_at" timestamp with time zone,
	"ends_at" timestamp with time zone,
	"end" text,
	CONSTRAINT "user_tokens_scopes" CHECK ("user_tokens"."scopes" <@ array['transactions', 'balances', 'statements']::text[]),
	CONSTRAINT "user_tokens_end" CHECK ("user_tokens"."end" is null or ("user_tokens"."ends_at" is not null and "user_tokens"."end" in ('revoked', 'reported')))
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_proven_at" timestamp with time zone,
	"phone" text,
	"former_phone" text,
	"contact_changed_at" timestamp with time zone,
	"contact_settles_at" timestamp with time zone,
	"first_name" text,
	"last_name" text,
	"latin_first_name" text,
	"latin_last_name" text,
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
	"source_of_funds_risk" text,
	"partner_id" text,
	"referral_coupon_code" text,
	"marketing_campaign" text,
	"language" text,
	"message_choices" jsonb DEFAULT '{"payments":"none","declines":"mail","refunds":"mail","signIns":"mail","withdrawals":"mail","cards":"mail"}'::jsonb NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"erased_at" timestamp with time zone,
	CONSTRAINT "users_kyc_status" CHECK ("users"."kyc_status" in ('notStarted', 'documentsRequested', 'pending', 'processing', 'approved', 'resubmissionRequested', 'rejected', 'requiresAction')),
	CONSTRAINT "users_source_of_funds_risk" CHECK ("users"."source_of_funds_risk" in ('green', 'orange', 'red'))
);
--> statement-breakpoint
CREATE TABLE "wallet_tokens" (
	"id" text NOT NULL,
	"issuer" text DEFAULT 'stripe' NOT NULL,
	"user_id" text NOT NULL,
	"card_id" text NOT NULL,
	"status" text NOT NULL,
	"wallet" text,
	"network" text NOT NULL,
	"device_type" text,
	"device_name" text,
	"last_four_digits" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_tokens_id_issuer_pk" PRIMARY KEY("id","issuer"),
	CONSTRAINT "wallet_tokens_status" CHECK ("wallet_tokens"."status" in ('requested', 'active', 'suspended', 'deleted'))
);
--> statement-breakpoint
ALTER TABLE "account_violations" ADD CONSTRAINT "account_violations_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archived_ibans" ADD CONSTRAINT "archived_ibans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_cases" ADD CONSTRAINT "card_cases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_clearings" ADD CONSTRAINT "card_clearings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_clearings" ADD CONSTRAINT "card_clearings_payment" FOREIGN KEY ("payment_id","user_id") REFERENCES "public"."card_payments"("id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_controls" ADD CONSTRAINT "card_controls_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_controls" ADD CONSTRAINT "card_controls_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_debts" ADD CONSTRAINT "card_debts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_debts" ADD CONSTRAINT "card_debts_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_issue_id_card_issues_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."card_issues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_issues" ADD CONSTRAINT "card_issues_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_rule_hits" ADD CONSTRAINT "card_rule_hits_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_rule_versions" ADD CONSTRAINT "card_rule_versions_rule_id_card_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."card_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_rules" ADD CONSTRAINT "card_rules_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_payment" FOREIGN KEY ("payment_id","user_id") REFERENCES "public"."card_payments"("id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_transfers" ADD CONSTRAINT "card_transfers_clearing" FOREIGN KEY ("payment_id","clearing_id","user_id") REFERENCES "public"."card_clearings"("payment_id","id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cardholders" ADD CONSTRAINT "cardholders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_changes" ADD CONSTRAINT "contact_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_code_coupons_code_fk" FOREIGN KEY ("code") REFERENCES "public"."coupons"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD CONSTRAINT "delay_transactions_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delay_transactions" ADD CONSTRAINT "delay_transactions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispute_evidence" ADD CONSTRAINT "dispute_evidence_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "emoney_callbacks" ADD CONSTRAINT "emoney_callbacks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iban_orders" ADD CONSTRAINT "iban_orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ibans" ADD CONSTRAINT "ibans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_versions" ADD CONSTRAINT "identity_versions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_applications" ADD CONSTRAINT "kyc_applications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_callbacks" ADD CONSTRAINT "kyc_callbacks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_checks" ADD CONSTRAINT "kyc_checks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_transfer" FOREIGN KEY ("payment_id","ordinal","user_id") REFERENCES "public"."card_transfers"("payment_id","ordinal","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "legal_holds" ADD CONSTRAINT "legal_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "live_transfers" ADD CONSTRAINT "live_transfers_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "movements" ADD CONSTRAINT "movements_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_returns" ADD CONSTRAINT "order_returns_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_returns" ADD CONSTRAINT "order_returns_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_domains" ADD CONSTRAINT "partner_domains_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_keys" ADD CONSTRAINT "partner_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_hashes" ADD CONSTRAINT "payment_hashes_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_keys" ADD CONSTRAINT "person_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "published_balances" ADD CONSTRAINT "published_balances_safe_id_safes_id_fk" FOREIGN KEY ("safe_id") REFERENCES "public"."safes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relay_attempts" ADD CONSTRAINT "relay_attempts_relay_transaction_id_relay_transactions_id_fk" FOREIGN KEY ("relay_transaction_id") REFERENCES "public"."relay_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relay_transactions" ADD CONSTRAINT "relay_transactions_relayer_relayers_address_fk" FOREIGN KEY ("relayer") REFERENCES "public"."relayers"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restricted_records" ADD CONSTRAINT "restricted_records_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "safes" ADD CONSTRAINT "safes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_wallets" ADD CONSTRAINT "sign_in_wallets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_of_funds" ADD CONSTRAINT "source_of_funds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "statements" ADD CONSTRAINT "statements_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_messages" ADD CONSTRAINT "subscription_messages_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_messages" ADD CONSTRAINT "subscription_messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terms_acceptances" ADD CONSTRAINT "terms_acceptances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_messages" ADD CONSTRAINT "user_messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_tokens" ADD CONSTRAINT "user_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_tokens" ADD CONSTRAINT "wallet_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_tokens" ADD CONSTRAINT "wallet_tokens_card_id_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."cards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_violations_entry" ON "account_violations" USING btree ("safe_id","queue_nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "account_violations_transfer" ON "account_violations" USING btree ("transfer_id");--> statement-breakpoint
CREATE INDEX "account_violations_standing" ON "account_violations" USING btree ("safe_id") WHERE "account_violations"."status" <> 'CLEARED';--> statement-breakpoint
CREATE INDEX "account_violations_block" ON "account_violations" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "account_violations_ended" ON "account_violations" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "archived_ibans_profile" ON "archived_ibans" USING btree ("profile_id");--> statement-breakpoint
CREATE INDEX "card_cases_user" ON "card_cases" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "card_cases_payment" ON "card_cases" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "card_cases_open" ON "card_cases" USING btree ("created_at") WHERE "card_cases"."status" = 'OPEN';--> statement-breakpoint
CREATE INDEX "card_clearings_user" ON "card_clearings" USING btree ("user_id","created_at") WHERE "card_clearings"."kind" in ('refund', 'reversal', 'capture_reversal', 'refund_reversal');--> statement-breakpoint
CREATE INDEX "card_clearings_reference" ON "card_clearings" USING btree ("network_reference") WHERE "card_clearings"."network_reference" is not null;--> statement-breakpoint
CREATE INDEX "card_controls_user" ON "card_controls" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "card_debts_user" ON "card_debts" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "card_decisions_increments" ON "card_decisions" USING btree ("user_id","created_at") WHERE "card_decisions"."ordinal" > 0;--> statement-breakpoint
CREATE INDEX "card_disputes_next" ON "card_disputes" USING btree ("next_at") WHERE "card_disputes"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "card_disputes_open" ON "card_disputes" USING btree ("id") WHERE "card_disputes"."status" in ('requested', 'created', 'submitted');--> statement-breakpoint
CREATE INDEX "card_disputes_status" ON "card_disputes" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "card_disputes_user" ON "card_disputes" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "card_envelopes_age" ON "card_envelopes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "card_envelopes_user" ON "card_envelopes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "card_envelopes_open" ON "card_envelopes" USING btree ("id") WHERE "card_envelopes"."outcome" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_one_open" ON "card_issues" USING btree ("user_id") WHERE "card_issues"."status" = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_request_key" ON "card_issues" USING btree ("user_id","request_key");--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_order" ON "card_issues" USING btree ("order_id") WHERE "card_issues"."status" <> 'refused';--> statement-breakpoint
CREATE INDEX "card_payments_user" ON "card_payments" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "card_payments_safe" ON "card_payments" USING btree ("safe_id");--> statement-breakpoint
CREATE INDEX "card_payments_merchant" ON "card_payments" USING btree (lower("merchant_name") text_pattern_ops,"id");--> statement-breakpoint
CREATE INDEX "card_payments_declined" ON "card_payments" USING btree ("decline_reason","id") WHERE "card_payments"."status" = 'DECLINED';--> statement-breakpoint
CREATE INDEX "card_payments_rare" ON "card_payments" USING btree ("status","id") WHERE "card_payments"."status" in ('DECLINED', 'REVERSED', 'EXPIRED', 'CREDITED');--> statement-breakpoint
CREATE INDEX "card_payments_authorized" ON "card_payments" USING btree ("updated_at") WHERE "card_payments"."status" = 'AUTHORIZED';--> statement-breakpoint
CREATE INDEX "card_rule_hits_rule" ON "card_rule_hits" USING btree ("rule_id","id");--> statement-breakpoint
CREATE INDEX "card_rule_hits_version" ON "card_rule_hits" USING btree ("rule_id","version");--> statement-breakpoint
CREATE INDEX "card_rule_hits_payment" ON "card_rule_hits" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "card_rule_hits_user" ON "card_rule_hits" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "card_rule_hits_age" ON "card_rule_hits" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "card_rule_versions_active" ON "card_rule_versions" USING btree ("rule_id") WHERE "card_rule_versions"."state" = 'ACTIVE';--> statement-breakpoint
CREATE UNIQUE INDEX "card_rule_versions_shadow" ON "card_rule_versions" USING btree ("rule_id") WHERE "card_rule_versions"."state" = 'SHADOW';--> statement-breakpoint
CREATE INDEX "card_rules_user" ON "card_rules" USING btree ("user_id") WHERE "card_rules"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "card_rules_shared" ON "card_rules" USING btree ("id") WHERE "card_rules"."scope" in ('programme', 'partner');--> statement-breakpoint
CREATE INDEX "card_rules_scope" ON "card_rules" USING btree ("scope","id");--> statement-breakpoint
CREATE INDEX "card_rules_subject" ON "card_rules" USING btree ("subject_id","id") WHERE "card_rules"."subject_id" is not null;--> statement-breakpoint
CREATE INDEX "card_rules_owner" ON "card_rules" USING btree ("owner_id","id") WHERE "card_rules"."owner_id" is not null;--> statement-breakpoint
CREATE INDEX "card_stand_ins_user" ON "card_stand_ins" USING btree ("user_id","decided_at");--> statement-breakpoint
CREATE INDEX "card_transfers_safe" ON "card_transfers" USING btree ("safe_id","sequence");--> statement-breakpoint
CREATE INDEX "card_transfers_ended" ON "card_transfers" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "card_transfers_hash" ON "card_transfers" USING hash ("hash");--> statement-breakpoint
CREATE INDEX "card_transfers_collections" ON "card_transfers" USING btree ("safe_id","sequence") WHERE "card_transfers"."is_collection";--> statement-breakpoint
CREATE INDEX "cardholders_behind" ON "cardholders" USING btree ("user_id") WHERE "cardholders"."issuer_status" <> "cardholders"."issuer_synced_status" or "cardholders"."issuer_call_ends_at" is not null or "cardholders"."issuer_details" is distinct from "cardholders"."issuer_synced_details";--> statement-breakpoint
CREATE INDEX "cardholders_inactive" ON "cardholders" USING btree ("user_id") WHERE "cardholders"."issuer_synced_status" = 'inactive';--> statement-breakpoint
CREATE INDEX "cards_user" ON "cards" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "cards_safe" ON "cards" USING btree ("safe_id");--> statement-breakpoint
CREATE INDEX "cards_last_four" ON "cards" USING btree ("last_four_digits","created_at");--> statement-breakpoint
CREATE INDEX "cards_request" ON "cards" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "cards_status" ON "cards" USING btree ("status_code","id");--> statement-breakpoint
CREATE INDEX "cards_expiry" ON "cards" USING btree ("expires_at") WHERE "cards"."status_code" not in ('1009', '1041', '1043', '1054', '1062');--> statement-breakpoint
CREATE INDEX "cards_to_sync" ON "cards" USING btree ("id") WHERE "cards"."issuer_status" <> "cards"."issuer_synced_status" or "cards"."issuer_call_ends_at" is not null;--> statement-breakpoint
CREATE INDEX "cards_controls_to_sync" ON "cards" USING btree ("id") WHERE "cards"."issuer_controls" is distinct from "cards"."issuer_synced_controls";--> statement-breakpoint
CREATE INDEX "codes_subject" ON "codes" USING btree ("purpose","subject","created_at");--> statement-breakpoint
CREATE INDEX "codes_receiver" ON "codes" USING btree ("purpose","receiver","created_at");--> statement-breakpoint
CREATE INDEX "codes_age" ON "codes" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "contact_changes_one_open" ON "contact_changes" USING btree ("user_id") WHERE "contact_changes"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "contact_changes_user" ON "contact_changes" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "contact_changes_age" ON "contact_changes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "coupon_redemptions_user" ON "coupon_redemptions" USING btree ("user_id","code");--> statement-breakpoint
CREATE UNIQUE INDEX "delay_transactions_message" ON "delay_transactions" USING btree ("delay_address","message_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "delay_transactions_queue" ON "delay_transactions" USING btree ("delay_address","queue_nonce");--> statement-breakpoint
CREATE INDEX "delay_transactions_enqueued" ON "delay_transactions" USING btree ("enqueued_block");--> statement-breakpoint
CREATE INDEX "delay_transactions_ended" ON "delay_transactions" USING btree ("ended_block");--> statement-breakpoint
CREATE INDEX "delay_transactions_user" ON "delay_transactions" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "delay_transactions_request" ON "delay_transactions" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "delay_transactions_executed" ON "delay_transactions" USING hash ("executed_hash");--> statement-breakpoint
CREATE INDEX "delay_transactions_safe" ON "delay_transactions" USING btree ("safe_id","created_at");--> statement-breakpoint
CREATE INDEX "delay_transactions_sequence" ON "delay_transactions" USING btree ("sequence");--> statement-breakpoint
CREATE INDEX "delay_transactions_failed" ON "delay_transactions" USING btree ("sequence") WHERE "delay_transactions"."status" in ('FAILED');--> statement-breakpoint
CREATE INDEX "delay_transactions_failed_user" ON "delay_transactions" USING btree ("user_id","sequence") WHERE "delay_transactions"."status" in ('FAILED');--> statement-breakpoint
CREATE INDEX "delay_transactions_open" ON "delay_transactions" USING btree ("safe_id","sequence") WHERE "delay_transactions"."status" not in ('EXECUTED', 'FAILED');--> statement-breakpoint
CREATE INDEX "delay_transactions_limits" ON "delay_transactions" USING btree ("safe_id","created_at") WHERE "delay_transactions"."kind" = 'limit';--> statement-breakpoint
CREATE INDEX "deliveries_sequence" ON "deliveries" USING btree ("subscription_id","sequence");--> statement-breakpoint
CREATE INDEX "deliveries_position" ON "deliveries" USING btree ("partner_id","position");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("partner_id","next_attempt_at","position") WHERE "deliveries"."status" = 'PENDING';--> statement-breakpoint
CREATE INDEX "deliveries_undelivered_partner" ON "deliveries" USING btree ("partner_id","status","created_at") WHERE "deliveries"."status" in ('FAILED', 'CANCELLED', 'KEPT');--> statement-breakpoint
CREATE INDEX "deliveries_undelivered" ON "deliveries" USING btree ("status","created_at") WHERE "deliveries"."status" in ('FAILED', 'CANCELLED', 'KEPT');--> statement-breakpoint
CREATE INDEX "deliveries_age" ON "deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "deliveries_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_age" ON "delivery_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "delivery_hours_age" ON "delivery_hours" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "discrepancies_found" ON "discrepancies" USING btree ("found_at");--> statement-breakpoint
CREATE INDEX "discrepancies_subject" ON "discrepancies" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "discrepancies_open" ON "discrepancies" USING btree ("kind") WHERE "discrepancies"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "dispute_evidence_user" ON "dispute_evidence" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dispute_evidence_created" ON "dispute_evidence" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dispute_evidence_sealed" ON "dispute_evidence" USING btree ("payment_id","slot") WHERE "dispute_evidence"."sealed" is not null;--> statement-breakpoint
CREATE INDEX "emoney_callbacks_age" ON "emoney_callbacks" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "emoney_callbacks_user" ON "emoney_callbacks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "events_user" ON "events" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "events_age" ON "events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "events_request" ON "events" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "events_pending" ON "events" USING btree ("sequence") WHERE "events"."is_pending";--> statement-breakpoint
CREATE INDEX "iban_orders_user" ON "iban_orders" USING btree ("user_id","placed_at");--> statement-breakpoint
CREATE INDEX "iban_orders_unmatched" ON "iban_orders" USING btree ("id") WHERE "iban_orders"."kind" in ('issue') and "iban_orders"."state" in ('processed') and "iban_orders"."currency" in ('eur', 'gbp')
    and "iban_orders"."mint_hash" is null and "iban_orders"."unmatched_at" is null;--> statement-breakpoint
CREATE INDEX "ibans_open" ON "ibans" USING btree ("user_id") WHERE "ibans"."status" = 'PENDING' or ("ibans"."status" = 'NOTSTARTED' and "ibans"."attempt" is not null);--> statement-breakpoint
CREATE INDEX "ibans_search" ON "ibans" USING gin ("iban" gin_trgm_ops) WHERE "ibans"."iban" is not null;--> statement-breakpoint
CREATE INDEX "ibans_sealed" ON "ibans" USING btree ("user_id") WHERE "ibans"."sealed_token" is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "identity_versions_user" ON "identity_versions" USING btree ("user_id","recorded_at");--> statement-breakpoint
CREATE INDEX "identity_versions_until" ON "identity_versions" USING btree ("until");--> statement-breakpoint
CREATE INDEX "issuer_callbacks_age" ON "issuer_callbacks" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "issuer_callbacks_outcome" ON "issuer_callbacks" USING btree ("outcome","received_at");--> statement-breakpoint
CREATE INDEX "kyc_callbacks_user" ON "kyc_callbacks" USING btree ("user_id","received_at");--> statement-breakpoint
CREATE INDEX "kyc_checks_due" ON "kyc_checks" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_safe" ON "ledger_entries" USING btree ("safe_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "legal_holds_one_open" ON "legal_holds" USING btree ("user_id") WHERE "legal_holds"."lifted_at" is null;--> statement-breakpoint
CREATE INDEX "legal_holds_user" ON "legal_holds" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "live_transfers_safe" ON "live_transfers" USING btree ("safe_id","sequence");--> statement-breakpoint
CREATE INDEX "live_transfers_payment" ON "live_transfers" USING btree ("payment_id","ordinal");--> statement-breakpoint
CREATE INDEX "live_transfers_open_spends" ON "live_transfers" USING btree ("created_at") WHERE "live_transfers"."direction" = 'spend' and "live_transfers"."status" not in ('DONE', 'FAILED');--> statement-breakpoint
CREATE INDEX "live_transfers_ended" ON "live_transfers" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "movements_block" ON "movements" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "movements_safe" ON "movements" USING btree ("safe_id","stated_at");--> statement-breakpoint
CREATE INDEX "nonces_expiry" ON "nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_states_age" ON "oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_states_user" ON "oauth_states" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "relay_transactions_one_open" ON "open_relays" USING btree ("purpose","subject_id") WHERE "open_relays"."status" = 'SIGNED';--> statement-breakpoint
CREATE INDEX "open_relays_lane" ON "open_relays" USING btree ("relayer","nonce");--> statement-breakpoint
CREATE INDEX "open_relays_subject" ON "open_relays" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "operator_actions_operator" ON "operator_actions" USING btree ("operator_id","sequence");--> statement-breakpoint
CREATE INDEX "operator_actions_operator_verb" ON "operator_actions" USING btree ("operator_id","verb","sequence");--> statement-breakpoint
CREATE INDEX "operator_actions_verb" ON "operator_actions" USING btree ("verb","sequence");--> statement-breakpoint
CREATE INDEX "operator_actions_subject" ON "operator_actions" USING btree ("subject_id","sequence");--> statement-breakpoint
CREATE INDEX "operator_actions_history" ON "operator_actions" USING btree ("subject_kind","subject_id","at");--> statement-breakpoint
CREATE INDEX "operator_actions_request" ON "operator_actions" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "operator_alerts_age" ON "operator_alerts" USING btree ("found_at");--> statement-breakpoint
CREATE INDEX "operator_approvals_newest" ON "operator_approvals" USING btree ("asked_at","id");--> statement-breakpoint
CREATE INDEX "operator_approvals_status" ON "operator_approvals" USING btree ("status","asked_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_approvals_waiting" ON "operator_approvals" USING btree ("verb","input") WHERE "operator_approvals"."status" = 'WAITING';--> statement-breakpoint
CREATE INDEX "operator_sessions_age" ON "operator_sessions" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_subject" ON "operator_sessions" USING btree ("subject");--> statement-breakpoint
CREATE INDEX "operator_sign_ins_age" ON "operator_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "order_returns_user" ON "order_returns" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "order_returns_planned" ON "order_returns" USING btree ("id") WHERE "order_returns"."signed_at" is null and "order_returns"."paid_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open" ON "orders" USING btree ("user_id") WHERE "orders"."status" not in ('CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED');--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_status" ON "orders" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "orders_payment_block" ON "orders" USING btree ("payment_block");--> statement-breakpoint
CREATE INDEX "orders_request" ON "orders" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "partner_domains_partner" ON "partner_domains" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "partner_keys_partner" ON "partner_keys" USING btree ("partner_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "partner_keys_api" ON "partner_keys" USING btree ("value") WHERE "partner_keys"."kind" = 'api';--> statement-breakpoint
CREATE INDEX "payment_hashes_claims" ON "payment_hashes" USING btree ("claimed_at") WHERE "payment_hashes"."proven_at" is null;--> statement-breakpoint
CREATE INDEX "person_keys_until" ON "person_keys" USING btree ("until");--> statement-breakpoint
CREATE INDEX "question_sets_age" ON "question_sets" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "queue_entries_block" ON "queue_entries" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "rate_limits_end" ON "rate_limits" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "reconciliations_newest" ON "reconciliations" USING btree ("sequence");--> statement-breakpoint
CREATE INDEX "reconciliations_open" ON "reconciliations" USING btree ("id") WHERE "reconciliations"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "reference_rates_day" ON "reference_rates" USING btree ("day");--> statement-breakpoint
CREATE INDEX "relay_attempts_hash" ON "relay_attempts" USING hash ("hash");--> statement-breakpoint
CREATE INDEX "relay_subjects_subject" ON "relay_subjects" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "relay_transactions_mined" ON "relay_transactions" USING btree ("block_number");--> statement-breakpoint
CREATE INDEX "removed_sign_in_wallets_age" ON "removed_sign_in_wallets" USING btree ("removed_at");--> statement-breakpoint
CREATE INDEX "restricted_records_until" ON "restricted_records" USING btree ("until");--> statement-breakpoint
CREATE INDEX "reverted_gas_age" ON "reverted_gas" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "reverted_gas_user" ON "reverted_gas" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "safes_address" ON "safes" USING btree ("address");--> statement-breakpoint
CREATE INDEX "safes_delay" ON "safes" USING btree ("delay_address");--> statement-breakpoint
CREATE INDEX "safes_search" ON "safes" USING btree (lower("address") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "safes_request" ON "safes" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "safes_under_way" ON "safes" USING btree ("id") WHERE "safes"."status" in ('processing', 'settingUp');--> statement-breakpoint
CREATE INDEX "safes_spender" ON "safes" USING btree ("spender") WHERE "safes"."status" not in ('failed', 'created');--> statement-breakpoint
CREATE INDEX "safes_user" ON "safes" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "safes_one_live" ON "safes" USING btree ("user_id") WHERE "safes"."status" not in ('failed', 'reset');--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_wallets_address" ON "sign_in_wallets" USING btree ("address");--> statement-breakpoint
CREATE INDEX "sign_in_wallets_user" ON "sign_in_wallets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_wallets_search" ON "sign_in_wallets" USING btree (lower("address") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "source_of_funds_user" ON "source_of_funds" USING btree ("user_id","answered_at");--> statement-breakpoint
CREATE INDEX "subscription_messages_age" ON "subscription_messages" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "subscription_messages_user" ON "subscription_messages" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one" ON "subscriptions" USING btree ("user_id","partner_id");--> statement-breakpoint
CREATE INDEX "subscriptions_partner" ON "subscriptions" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "top_ups_age" ON "top_ups" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "top_ups_recipient" ON "top_ups" USING btree ("recipient","created_at");--> statement-breakpoint
CREATE INDEX "unmatched_threads_age" ON "unmatched_threads" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "unmatched_threads_reason" ON "unmatched_threads" USING btree ("reason");--> statement-breakpoint
CREATE INDEX "user_messages_user" ON "user_messages" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_tokens_hash" ON "user_tokens" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "user_tokens_user" ON "user_tokens" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "user_tokens_ends" ON "user_tokens" USING btree ("ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_validated_phone" ON "users" USING btree ("phone") WHERE "users"."is_phone_validated";--> statement-breakpoint
CREATE INDEX "users_kyc" ON "users" USING btree ("kyc_status","id");--> statement-breakpoint
CREATE INDEX "users_partner" ON "users" USING btree ("partner_id","id") WHERE "users"."partner_id" is not null;--> statement-breakpoint
CREATE INDEX "users_deactivated" ON "users" USING btree ("id") WHERE "users"."status" = 'DEACTIVATED';--> statement-breakpoint
CREATE INDEX "users_referral_code" ON "users" USING btree (upper("referral_coupon_code"));--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ((split_part(lower("email"), '@', 1)) gin_trgm_ops,(lower(coalesce("first_name", '') || ' ' || coalesce("last_name", ''))) gin_trgm_ops,"phone" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_mail_domain" ON "users" USING btree ((split_part(lower("email"), '@', 2)) text_pattern_ops);--> statement-breakpoint
CREATE INDEX "wallet_tokens_card" ON "wallet_tokens" USING btree ("card_id");--> statement-breakpoint
CREATE INDEX "wallet_tokens_user" ON "wallet_tokens" USING btree ("user_id","created_at");