CREATE TABLE "book_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"currency" text NOT NULL,
	"owner" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "book_closes" (
	"day" date PRIMARY KEY NOT NULL,
	"root" text NOT NULL,
	"digest" text NOT NULL,
	"document" text NOT NULL,
	"closed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "book_cursors" (
	"source" text PRIMARY KEY NOT NULL,
	"reached_at" timestamp with time zone,
	"block" bigint,
	"after" text,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "book_days" (
	"day" date PRIMARY KEY NOT NULL,
	"sealed_at" timestamp with time zone NOT NULL,
	"after" bigint DEFAULT 0 NOT NULL,
	"postings" bigint DEFAULT 0 NOT NULL,
	"lines" bigint DEFAULT 0 NOT NULL,
	"roots" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"request_id" text NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "book_items" (
	"id" text PRIMARY KEY NOT NULL,
	"witness" text NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"reference" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"cause" text NOT NULL,
	"owner" text NOT NULL,
	"first_day" date NOT NULL,
	"resolved_day" date,
	CONSTRAINT "book_items_resolved" CHECK (("book_items"."resolved_day" is null) = ("book_items"."amount" <> 0))
);
--> statement-breakpoint
CREATE TABLE "book_lines" (
	"posting_id" bigint NOT NULL,
	"ordinal" integer NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"reference" text,
	"period" date NOT NULL,
	CONSTRAINT "book_lines_posting_id_ordinal_pk" PRIMARY KEY("posting_id","ordinal"),
	CONSTRAINT "book_lines_amount" CHECK ("book_lines"."amount" <> 0)
);
--> statement-breakpoint
CREATE TABLE "book_postings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "book_postings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"external_id" text NOT NULL,
	"cause" text NOT NULL,
	"effective_on" date NOT NULL,
	"period" date NOT NULL,
	"booked_at" timestamp with time zone NOT NULL,
	"reverses" bigint,
	CONSTRAINT "book_postings_external" UNIQUE("type","external_id"),
	CONSTRAINT "book_postings_late" CHECK ("book_postings"."period" >= "book_postings"."effective_on")
);
--> statement-breakpoint
CREATE TABLE "book_witness_entries" (
	"witness" text NOT NULL,
	"reference" text NOT NULL,
	"ordinal" integer NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"kind" text NOT NULL,
	"party" text,
	"effective_on" date NOT NULL,
	"period" date NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "book_witness_entries_witness_reference_ordinal_pk" PRIMARY KEY("witness","reference","ordinal"),
	CONSTRAINT "book_witness_entries_late" CHECK ("book_witness_entries"."period" >= "book_witness_entries"."effective_on")
);
--> statement-breakpoint
ALTER TABLE "book_closes" ADD CONSTRAINT "book_closes_day_book_days_day_fk" FOREIGN KEY ("day") REFERENCES "public"."book_days"("day") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "book_items" ADD CONSTRAINT "book_items_account_book_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "public"."book_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "book_lines" ADD CONSTRAINT "book_lines_posting_id_book_postings_id_fk" FOREIGN KEY ("posting_id") REFERENCES "public"."book_postings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "book_lines" ADD CONSTRAINT "book_lines_account_book_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "public"."book_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "book_postings" ADD CONSTRAINT "book_postings_reverses_book_postings_id_fk" FOREIGN KEY ("reverses") REFERENCES "public"."book_postings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "book_witness_entries" ADD CONSTRAINT "book_witness_entries_account_book_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "public"."book_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "book_items_open" ON "book_items" USING btree ("id") WHERE "book_items"."resolved_day" is null;--> statement-breakpoint
CREATE INDEX "book_items_days" ON "book_items" USING btree ("first_day");--> statement-breakpoint
CREATE INDEX "book_lines_period" ON "book_lines" USING btree ("period","account");--> statement-breakpoint
CREATE INDEX "book_postings_period" ON "book_postings" USING btree ("period","id");--> statement-breakpoint
CREATE INDEX "book_postings_cause" ON "book_postings" USING btree ("cause");--> statement-breakpoint
CREATE INDEX "book_witness_entries_period" ON "book_witness_entries" USING btree ("period","witness");--> statement-breakpoint
CREATE INDEX "book_witness_entries_created" ON "book_witness_entries" USING btree ("created_at");--> statement-breakpoint
create function book_rows_keep() returns trigger language plpgsql as $$
begin
  raise exception '%: what is booked stays', tg_table_name
    using errcode = 'check_violation', constraint = tg_table_name || '_keep';
end $$;
--> statement-breakpoint
create trigger book_postings_keep before update or delete on book_postings for each row execute function book_rows_keep();
--> statement-breakpoint
create trigger book_lines_keep before update or delete on book_lines for each row execute function book_rows_keep();
--> statement-breakpoint
create trigger book_witness_entries_keep before update or delete on book_witness_entries
  for each row execute function book_rows_keep();
--> statement-breakpoint
create trigger book_closes_keep before update or delete on book_closes for each row execute function book_rows_keep();
--> statement-breakpoint
create trigger book_days_keep before delete on book_days for each row execute function book_rows_keep();
--> statement-breakpoint
create trigger book_days_closed before update on book_days
  for each row when (old.closed_at is not null) execute function book_rows_keep();
--> statement-breakpoint
create trigger book_postings_truncate before truncate on book_postings for each statement execute function book_rows_keep();
--> statement-breakpoint
create trigger book_lines_truncate before truncate on book_lines for each statement execute function book_rows_keep();
--> statement-breakpoint
create trigger book_witness_entries_truncate before truncate on book_witness_entries
  for each statement execute function book_rows_keep();
--> statement-breakpoint
create trigger book_closes_truncate before truncate on book_closes for each statement execute function book_rows_keep();
--> statement-breakpoint
create trigger book_days_truncate before truncate on book_days for each statement execute function book_rows_keep();
--> statement-breakpoint
create function book_days_seal() returns trigger language plpgsql as $$
begin
  -- Waits for commits that book under way. Later ones see the row.
  perform pg_advisory_xact_lock(hashtextextended('cardkeep:books', 0));
  if exists (select from book_days where day >= new.day)
    or (exists (select from book_days) and not exists (select from book_days where day = new.day - 1)) then
    raise exception 'book_days: % does not follow the last sealed day', new.day
      using errcode = 'check_violation', constraint = 'book_days_seal';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger book_days_seal before insert on book_days for each row execute function book_days_seal();
--> statement-breakpoint
create function book_period_open() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('cardkeep:books', 0));
  if exists (select from book_days where day >= new.period) then
    raise exception '%: % is sealed', tg_table_name, new.period
      using errcode = 'check_violation', constraint = 'book_period_open';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger book_postings_open before insert on book_postings for each row execute function book_period_open();
--> statement-breakpoint
create trigger book_lines_open before insert on book_lines for each row execute function book_period_open();
--> statement-breakpoint
create trigger book_witness_entries_open before insert on book_witness_entries for each row execute function book_period_open();
--> statement-breakpoint
create function book_lines_balance() returns trigger language plpgsql as $$
begin
  if exists (select from added group by posting_id, currency having sum(amount) <> 0) then
    raise exception 'book_lines: a posting does not sum to zero'
      using errcode = 'check_violation', constraint = 'book_lines_balance';
  end if;
  if exists (
    select from (select posting_id, count(*) as count from added group by posting_id) a
    join (select posting_id, count(*) as count from book_lines
      where posting_id in (select posting_id from added) group by posting_id) l using (posting_id)
    where l.count <> a.count) then
    raise exception 'book_lines: a posting has its lines already'
      using errcode = 'check_violation', constraint = 'book_lines_once';
  end if;
  if exists (
    select from added join book_postings p on p.id = added.posting_id join book_accounts a on a.id = added.account
    where p.period <> added.period or a.currency <> added.currency) then
    raise exception 'book_lines: a line has another day than its posting, or another currency than its account'
      using errcode = 'check_violation', constraint = 'book_lines_alike';
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger book_lines_balance after insert on book_lines
  referencing new table as added for each statement execute function book_lines_balance();
--> statement-breakpoint
create function book_postings_balance() returns trigger language plpgsql as $$
begin
  if not exists (select from book_lines where posting_id = new.id)
    or exists (select from book_lines where posting_id = new.id group by currency having sum(amount) <> 0) then
    raise exception 'book_postings: % has no lines that sum to zero', new.id
      using errcode = 'check_violation', constraint = 'book_postings_balance';
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger book_postings_balance after insert on book_postings
  deferrable initially deferred for each row execute function book_postings_balance();
