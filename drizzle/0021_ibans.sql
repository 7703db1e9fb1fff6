CREATE TABLE "emoney_callbacks" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
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
CREATE TABLE "iban_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"currency" text NOT NULL,
	"amount" text NOT NULL,
	"address" text NOT NULL,
	"counterpart" jsonb NOT NULL,
	"state" text NOT NULL,
	"memo" text,
	"placed_at" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone NOT NULL,
	CONSTRAINT "iban_orders_kind" CHECK ("iban_orders"."kind" in ('redeem', 'issue')),
	CONSTRAINT "iban_orders_currency" CHECK ("iban_orders"."currency" in ('eur', 'usd', 'gbp', 'isk')),
	CONSTRAINT "iban_orders_state" CHECK ("iban_orders"."state" in ('placed', 'pending', 'processed', 'rejected')),
	CONSTRAINT "iban_orders_amount" CHECK ("iban_orders"."amount" ~ '^[0-9]+(\.[0-9]+)?$' and "iban_orders"."amount"::numeric > 0)
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
	"attempt" text,
	"sealed_token" text,
	"iban" text,
	"bic" text,
	"request_id" text DEFAULT 'unknown' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ibans_id_unique" UNIQUE("id"),
	CONSTRAINT "ibans_profileId_unique" UNIQUE("profile_id"),
	CONSTRAINT "ibans_linkedProfileId_unique" UNIQUE("linked_profile_id"),
	CONSTRAINT "ibans_iban_unique" UNIQUE("iban"),
	CONSTRAINT "ibans_status" CHECK ("ibans"."status" in ('NOTSTARTED', 'PENDING', 'PENDING_OAUTH', 'ASSIGNED')),
	CONSTRAINT "ibans_assigned" CHECK (("ibans"."status" = 'ASSIGNED') = ("ibans"."iban" is not null)),
	CONSTRAINT "ibans_pending" CHECK ("ibans"."status" not in ('PENDING', 'ASSIGNED') or num_nulls("ibans"."address", "ibans"."signature") = 0)
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
ALTER TABLE "emoney_callbacks" ADD CONSTRAINT "emoney_callbacks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iban_orders" ADD CONSTRAINT "iban_orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ibans" ADD CONSTRAINT "ibans_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "emoney_records_profile" ON "sandbox"."emoney_records" USING btree ("kind","profile","sequence");--> statement-breakpoint
CREATE INDEX "iban_orders_user" ON "iban_orders" USING btree ("user_id","placed_at");--> statement-breakpoint
CREATE INDEX "oauth_states_age" ON "oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_states_user" ON "oauth_states" USING btree ("user_id");--> statement-breakpoint
create or replace function ibans_status_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status = 'NOTSTARTED' then return new; end if;
    raise exception 'ibans: a row begins in NOTSTARTED, not in %', new.status
      using errcode = 'check_violation', constraint = 'ibans_status_guard';
  end if;
  if new.status = old.status or old.status || ' -> ' || new.status in (
      'NOTSTARTED -> PENDING',
      'NOTSTARTED -> PENDING_OAUTH',
      'PENDING -> NOTSTARTED',
      'PENDING -> PENDING_OAUTH',
      'PENDING -> ASSIGNED',
      'PENDING_OAUTH -> NOTSTARTED',
      'PENDING_OAUTH -> PENDING',
      'ASSIGNED -> NOTSTARTED'
  ) then return new; end if;
  raise exception 'ibans: % -> % is not in the table', old.status, new.status
    using errcode = 'check_violation', constraint = 'ibans_status_guard';
end $$;
--> statement-breakpoint
create or replace trigger ibans_status_guard before insert or update of status on ibans for each row execute function ibans_status_guard();
