/** What a next release may do to the tables, one file for each kind: `tests/architecture/migrations.test.ts` lints them too. */

const end = "\n--> statement-breakpoint\n";

const nextRelease = {
  "9000_column": [
    `alter table cards add column region text, add constraint cards_region check (region <> '') not valid`,
    `alter table card_payments add column region text, add constraint card_payments_region check (region <> '') not valid`,
    `create function backfill_cards_region(after text, size int, out last text, out rows bigint) language plpgsql
  set search_path = public, pg_temp as $$
begin
  with batch as (select id from cards where id > coalesce(after, '') order by id limit size for update),
    changed as (update cards set region = 'EU' from batch where cards.id = batch.id)
  select max(id), count(*) into last, rows from batch;
end $$`,
    `insert into backfills (name, rows_total, created_at, updated_at)
  select 'backfill_cards_region', greatest(reltuples, 0), now(), now() from pg_class where oid = 'cards'::regclass`,
  ],
  "9001_indexes": [
    `-- mode: statements
create index concurrently if not exists cards_region_index on cards (region)`,
    `create index concurrently if not exists card_payments_region_index on card_payments (region, id)`,
    `alter table cards validate constraint cards_region`,
    `alter table card_payments validate constraint card_payments_region`,
  ],
  "9002_table": [
    `create table card_regions (name text primary key, user_id text not null)`,
    `alter table card_regions add constraint card_regions_user foreign key (user_id) references users (id) not valid`,
  ],
  "9003_required": [
    `-- mode: statements
alter table card_regions validate constraint card_regions_user`,
    `alter table users add column if not exists region text not null default 'EU'`,
  ],
} as const;

/** The same as the texts of the files. */
export const nextFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(nextRelease).map(([name, statements]) => [name, statements.map((text) => `${text};`).join(end)]),
);
