CREATE TABLE "issuer_cover" (
	"currency" text PRIMARY KEY NOT NULL,
	"balance_cents" bigint NOT NULL,
	"in_transit_cents" bigint NOT NULL,
	"hours" integer,
	"transfer_hours" integer NOT NULL,
	"short_since" timestamp with time zone,
	"read_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issuer_top_ups" (
	"id" text PRIMARY KEY NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"arrived_at" timestamp with time zone NOT NULL,
	"move_id" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "issuer_top_ups_move" UNIQUE("move_id")
);
--> statement-breakpoint
CREATE TABLE "treasury_destinations" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"label" text NOT NULL,
	"added_by" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	"usable_at" timestamp with time zone NOT NULL,
	"removed_by" text,
	"removed_at" timestamp with time zone,
	CONSTRAINT "treasury_destinations_kind" CHECK ("treasury_destinations"."kind" in ('iban', 'address'))
);
--> statement-breakpoint
CREATE TABLE "treasury_items" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"outcome" text,
	"closed_at" timestamp with time zone,
	"closed_by" text,
	"reason" text,
	CONSTRAINT "treasury_items_amount" CHECK ("treasury_items"."amount" > 0),
	CONSTRAINT "treasury_items_closed" CHECK (("treasury_items"."outcome" is null) = ("treasury_items"."closed_at" is null))
);
--> statement-breakpoint
CREATE TABLE "treasury_moves" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"source" text,
	"destination" text NOT NULL,
	"cause_id" text,
	"document_id" text,
	"message" text,
	"signature" text,
	"signed_at" timestamp with time zone,
	"hash" text,
	"ended_block" bigint,
	"external_id" text,
	"failure" text,
	"asked_by" text NOT NULL,
	"approved_by" text,
	"note" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "treasury_moves_kind" CHECK ("treasury_moves"."kind" in ('sweep', 'redeem', 'fund', 'contribute', 'approve')),
	CONSTRAINT "treasury_moves_amount" CHECK ("treasury_moves"."amount" >= 0),
	CONSTRAINT "treasury_moves_ended" CHECK (("treasury_moves"."status" in ('DONE', 'FAILED')) = ("treasury_moves"."ended_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "card_cases" DROP CONSTRAINT "card_cases_kind";--> statement-breakpoint
ALTER TABLE "stop_switches" DROP CONSTRAINT "stop_switches_name";--> statement-breakpoint
CREATE INDEX "issuer_top_ups_age" ON "issuer_top_ups" USING btree ("arrived_at");--> statement-breakpoint
CREATE UNIQUE INDEX "treasury_destinations_value" ON "treasury_destinations" USING btree ("value") WHERE "treasury_destinations"."removed_at" is null;--> statement-breakpoint
CREATE INDEX "treasury_items_open" ON "treasury_items" USING btree ("token") WHERE "treasury_items"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "treasury_moves_open" ON "treasury_moves" USING btree ("kind","token") WHERE "treasury_moves"."status" not in ('DONE', 'FAILED');--> statement-breakpoint
CREATE UNIQUE INDEX "treasury_moves_cause" ON "treasury_moves" USING btree ("cause_id") WHERE "treasury_moves"."cause_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "treasury_moves_external" ON "treasury_moves" USING btree ("kind","external_id") WHERE "treasury_moves"."external_id" is not null;--> statement-breakpoint
CREATE INDEX "treasury_moves_age" ON "treasury_moves" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "treasury_moves_block" ON "treasury_moves" USING btree ("ended_block");--> statement-breakpoint
ALTER TABLE "card_cases" ADD CONSTRAINT "card_cases_kind" CHECK ("card_cases"."kind" in ('stand_in_shortfall', 'stand_in_excess', 'stand_in_blocked', 'unpaid_capture', 'over_capture', 'late_capture', 'refused_spend', 'dispute_loss', 'dispute_taken_back', 'uncredited_dispute', 'double_capture', 'contradictory_capture', 'unauthorized_payment', 'iban_mint_missing', 'iban_mint_duplicate', 'iban_mint_unordered', 'iban_recall', 'order_return', 'iban_to_close', 'return_waiting', 'refund_request', 'unbooked')) NOT VALID;--> statement-breakpoint
ALTER TABLE "stop_switches" ADD CONSTRAINT "stop_switches_name" CHECK ("stop_switches"."name" in ('sign-ups', 'card-payments', 'card-orders', 'withdrawals', 'deliveries', 'treasury')) NOT VALID;--> statement-breakpoint
create or replace function treasury_moves_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status in ('PLANNED', 'SENT') then return new; end if;
    raise exception 'treasury_moves: a row begins in PLANNED or SENT, not in %', new.status
      using errcode = 'check_violation', constraint = 'treasury_moves_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'PLANNED -> SIGNED',
      'PLANNED -> DONE',
      'PLANNED -> FAILED',
      'SIGNED -> PLANNED',
      'SIGNED -> SENT',
      'SIGNED -> DONE',
      'SIGNED -> FAILED',
      'SENT -> DONE',
      'SENT -> FAILED',
      'DONE -> PLANNED',
      'DONE -> SIGNED',
      'FAILED -> PLANNED'
  ) then return new; end if;
  raise exception 'treasury_moves: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'treasury_moves_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger treasury_moves_status_guard before insert or update of status on treasury_moves for each row execute function treasury_moves_status_guard();
