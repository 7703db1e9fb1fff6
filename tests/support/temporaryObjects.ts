/**
 * What a role may try by temporary objects that have the names of others. Postgres looks among them first for relations and types,
 * unless a search path names them last.
 */

/** A function of the session that switches triggers off, if it runs as their owner. */
export const takeTriggers = `
  create function pg_temp.take() returns int language plpgsql cost 0.0001 as $$ begin
    execute 'alter table public.operator_actions disable trigger user';
    execute 'alter table public.ledger_entries disable trigger user';
    return 1;
  end $$;`;

const postingOf = (externalId: string, day: string) =>
  `insert into public.book_postings (type, external_id, cause, effective_on, period, booked_at)
    values ('t', '${externalId}', 'c', '${day}', '${day}', now()) returning id`;

/** With two lines that sum to zero. */
export const balancedOf = (externalId: string, day: string, lines = "public.book_lines") => `
  with posting as (${postingOf(externalId, day)})
  insert into ${lines} (posting_id, ordinal, account, currency, amount, period)
    select id, ordinal, 'account', 'EUR', amount, '${day}' from posting, (values (0, 1), (1, -1)) line (ordinal, amount);`;

const relayOf = (id: string) => `
  insert into public.relay_transactions (id, purpose, subject_id, request_id, relayer, nonce, "to", value, data, gas_limit, status,
      created_at, updated_at)
    values ('${id}', 'p', '${id}', 'r', '0x1', 7, '0x2', 0, '0x', 21000, 'SIGNED', now(), now());`;

/** The account of the postings. */
export const keptAccount = `
  insert into book_accounts (id, kind, currency, owner, created_at) values ('account', 'k', 'EUR', 'o', now())`;

/** Rows that the guards hold: a sealed day, a posting of the next one, a signed transaction, and a request that waits. */
export const keptRows = `
  insert into book_days (day, sealed_at, request_id) values ('2026-01-02', now(), 'r');
  ${balancedOf("kept", "2026-01-03")}
  insert into relayers (address, next_nonce) values ('0x1', 8);
  ${relayOf("kept")}
  insert into operator_approvals (id, verb, input, subject_kind, subject_id, status, asked_by_id, asked_by_name, asked_via, asked_proof,
      asked_roles, request_id, asked_at, expires_at)
    values ('kept', 'v', '{"cents": 1}', 'k', 's', 'WAITING', 'o', 'O', 'cli', 'oidc', '{}', 'r', now(), now());`;

/** What a role may try, the statements, and the rule that has to refuse them. */
export const deceptions = [
  [
    "a posting of a sealed day",
    `create temp table book_days (day date); ${balancedOf("late", "2026-01-02")}`,
    "book_period_open",
  ],
  [
    "a day before the sealed ones",
    `create temp table book_days (day date);
    insert into public.book_days (day, sealed_at, request_id) values ('2026-01-01', now(), 'r')`,
    "book_days_seal",
  ],
  [
    "a posting without lines",
    `create temp table book_lines (like public.book_lines); ${balancedOf("empty", "2026-01-03", "pg_temp.book_lines")}`,
    "book_postings_balance",
  ],
  [
    "further lines of a posting",
    `create temp table book_lines as select * from public.book_lines;
    insert into public.book_lines (posting_id, ordinal, account, currency, amount, period)
      select posting_id, ordinal + 2, account, currency, amount, period from public.book_lines
        where period = '2026-01-03'`,
    "book_lines_once",
  ],
  [
    "lines of another currency than their account",
    `create temp table book_accounts as select id, 'USD' as currency from public.book_accounts;
    with posting as (${postingOf("dollars", "2026-01-03")})
    insert into public.book_lines (posting_id, ordinal, account, currency, amount, period)
      select id, ordinal, 'account', 'USD', amount, '2026-01-03' from posting, (values (0, 1), (1, -1)) line (ordinal, amount)`,
    "book_lines_alike",
  ],
  [
    "a hash that no action has",
    `create temp table operator_actions as select 1 as sequence, 'forged' as hash, repeat('0', 64) as previous_hash;
    update public.operator_chain set sequence = 1, hash = 'forged'`,
    "operator_chain_advance",
  ],
  [
    "another input of a request that is approved",
    `create type pg_temp.text as enum ('status', 'decided_by_id', 'decided_by_name', 'decided_at');
    create function pg_temp.widen(pg_temp.text) returns pg_catalog.text language sql as
      $$ select replace(textin(enum_out($1)), 'decided_by_name', 'input') $$;
    create cast (pg_temp.text as pg_catalog.text) with function pg_temp.widen(pg_temp.text) as implicit;
    update public.operator_approvals set status = 'APPROVED', decided_by_id = 'p', decided_at = now(), input = '{"cents": 2}'`,
    "operator_approvals_decide",
  ],
  [
    "a second transaction of a nonce",
    `create temp table relay_nonces (relayer text, nonce bigint, relay_transaction_id text); ${relayOf("second")}`,
    "relay_transactions_nonce",
  ],
] as const;

/**
 * Functions by which such objects could be found: without a search path that names them last, and with a body that runs a text, or
 * that names a relation or type without its schema. Those of the queue count if they run as their owner.
 */
export const deceivable = `
  select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where nspname not like 'pg\\_%' and nspname <> 'information_schema' and (nspname <> 'graphile_worker' or prosecdef)
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    and not exists (select from unnest(proconfig) setting where setting like 'search_path=%, pg_temp')
    and (prosecdef or prosrc ~* '\\mexecute\\M' or exists (
      select from regexp_matches(regexp_replace(prosrc, '''[^'']*''', '', 'g'), '(?<![.[:alnum:]_])[[:alnum:]_]+', 'g') word
      join pg_type on typname = lower(word[1]) and typnamespace in ('pg_catalog'::regnamespace, 'public'::regnamespace)))
  order by 1`;
