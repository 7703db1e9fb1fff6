/** Tables after years of use: users with all their rows, finished operations and deliveries, logs and records. */
import { type SQL, sql } from "drizzle-orm";
import { listMonths, monthOf, type PartitionedTable, partitionedTables } from "@cardkeep/db/partitions";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { buildBookStatements } from "./fillBooks.ts";
import { buildRecordStatements } from "./fillRecords.ts";
import { buildSandboxStatements } from "./fillSandbox.ts";

export interface Sizes {
  readonly users: number;
  /** Each with its relayed transactions; one user has a tenth of them. */
  readonly operations: number;
  /** Each with its event and attempt. */
  readonly deliveries: number;
  /** Uses of cards, each with its transfer, entries and objects of the issuer; one user's card has a tenth of them. */
  readonly payments: number;
  /** Scheduled for later, like jobs of operations in their cooldown. */
  readonly jobs: number;
}

/** A separate address for each kind and number. */
export const address = (kind: string) => sql`'0x' || ${kind}::text || lpad(to_hex(n), 39, '0')`;
export const hash = (kind: string) => sql`'0x' || ${kind}::text || lpad(to_hex(n), 63, '0')`;
export const series = (count: number) => sql`generate_series(1, ${count}::int) n`;
export const some = (count: number) => sql`1 + (n % ${count}::int)`;
/** A number with digits in no order, another for each n. */
const mixed = sql`(n::bigint * 2654435761 % 1000000000039)`;
const syllables = "ma jo an el ri sa to ka li ne mi ra do vi lu be er ha so ti ni ja ke".split(" ");
/** One syllable of a name; each power of their count is another place of it. */
const syllable = (place: number) =>
  sql`(array[${sql.raw(syllables.map((each) => `'${each}'`).join(", "))}])[1 + (${mixed} / ${place}::bigint) % ${syllables.length}::int]`;
const firstName = sql`${syllable(1)} || ${syllable(23)}`;
const lastName = sql`${syllable(529)} || ${syllable(12_167)} || ${syllable(279_841)}`;
/** A few domains have most mail addresses. */
const domain = sql`case when n % 10 < 4 then 'gmail.com' when n % 10 < 6 then 'outlook.com' when n % 10 < 7 then 'web.de' else ${syllable(23)} || ${syllable(529)} || ${syllable(12_167)} || '.example' end`;
/** Calldata as long as a withdrawal's. */
const enqueueData = sql`'0x' || repeat(md5(n::text), 22)`;
export const at = sql`now() - interval '20 days' + n * interval '1 second'`;

const dayMs = 86_400_000;
const startedAt = Date.now();
/** The months before this one in which partitioned rows were made, in turns. */
const monthsMax = 6;
const monthMs = 30 * dayMs;
const madeAt = (n: number): number => startedAt - (n % monthsMax) * monthMs;

/** The id of the nth row of each partitioned table: a UUID of version 7, as the product makes them. */
export function nameRow(n: number): string {
  const [ms, last] = [madeAt(n), n].map((digits) => digits.toString(16).padStart(12, "0"));
  return `${ms?.slice(0, 8)}-${ms?.slice(8)}-7000-8000-${last}`;
}

/** The same of a delivery. */
export const nameDelivery = (n: number): string => `msg_${nameRow(n).replaceAll("-", "")}`;

const madeMs = sql`lpad(to_hex(${startedAt}::bigint - (n % ${monthsMax}) * ${monthMs}::bigint), 12, '0')`;
export const id = sql`left(${madeMs}, 8) || '-' || right(${madeMs}, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0')`;
const deliveryId = sql`'msg_' || ${madeMs} || '70008000' || lpad(to_hex(n), 12, '0')`;

/** One user has a tenth of the rows that grow with use. */
export const ownerOf = (users: number) => sql`case when n % 10 = 0 then 1 else ${some(users)} end`;

/** Long before the blocks of the test's chain. */
const block = sql`3 * (n - 2000000)`;

/** Uses of cards. */
const buildPayments = ({ users, payments }: Pick<Sizes, "users" | "payments">): SQL =>
  sql`insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, decline_result, decline_reason, authorized_cents, reversed_cents,
        captured_cents, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, mcc, transaction_type, target,
        owed, set_off, excess_cents, version, request_id, created_at, cleared_at, updated_at)
      select ${id}, 'old-' || n, 'old-' || u, 'old-' || u, 'old-' || u, case when n % 50 = 2 then 'DECLINED' else 'CLEARED' end,
        case when n % 50 = 2 then 'Other' end, case when n % 50 = 2 then 'account_paused' end, 100, 0, 100, 0, 'EUR', 100, 'EUR', 'Shop ' || n % 1000,
        '5812', '00', 1, 0, 0, 0, 1, 'old-' || n, ${at}, ${at}, ${at} from (select n, ${ownerOf(users)} as u from ${series(payments)}) places`;

/** The statements that fill every growing table, in the order of their references. */
function buildStatements({ users, operations, deliveries, payments, jobs }: Sizes): SQL[] {
  const owner = ownerOf(users);
  const payer = sql`'old-' || ${owner}`;
  return [
    sql`insert into users (id, email, first_name, last_name, phone, kyc_status, created_at)
      select 'old-' || n, case when n % 1000 = 1 then 'old-' || n || '@example.org' else ${firstName} || '.' || ${lastName} || n % 100 || '@' || ${domain} end,
        initcap(${firstName}), initcap(${lastName}), '+49' || (1500000000 + ${mixed} % 300000000), 'approved', ${at}
      from ${series(users)}`,
    sql`insert into sign_in_wallets (id, user_id, address, is_added, created_at)
      select 'old-' || n, 'old-' || n, ${address("a")}, false, ${at} from ${series(users)}`,
    sql`insert into terms_acceptances (user_id, type, version, accepted_at)
      select 'old-' || n, type, '1', ${at} from ${series(users)}, unnest(array['general-tos', 'card-monavate-tos']) type`,
    sql`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
        set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, n, ${address("b")}, ${address("c")}, ${address("d")}, ${address("e")}, ${address("a")},
        'operator', ${address("f")}, '0x' || lpad('1', 40, '0'), 'EURe', 1000, 180, 1800, 'ok', 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into kyc_callbacks (id, user_id, body, received_at)
      select 'old-' || n, 'old-' || n, '{}', ${at} from ${series(users)}`,
    sql`insert into ibans (user_id, id, status, profile_id, address, signature, iban, request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, 'ASSIGNED', 'old-' || n, ${address("b")}, '0x',
        'EE' || lpad(((${mixed} * 7) % 90 + 10)::text, 2, '0') || '7777' || lpad((${mixed} % 1000000000000)::text, 12, '0') || lpad(n::text, 8, '0'), 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into orders (id, user_id, status, personalization_source, virtual, currency, total_cents, total_eur_cents, discount_eur_cents,
        request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, 'CARDCREATED', 'KYC', true, 'EUR', 0, 0, 0, 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into cards (id, user_id, safe_id, order_id, card_token, last_four_digits, virtual, status_code, activated_at,
        expires_at, issuer_status, issuer_synced_status, request_id, created_at, updated_at)
      select 'old-' || n, 'old-' || n, 'old-' || n, 'old-' || n, 'old-' || n, lpad((n % 9000 + 1000)::text, 4, '0'), true, '1000', ${at},
        now() + interval '3 years', 'active', 'active', 'old-' || n, ${at}, ${at} from ${series(users)}`,
    sql`insert into delay_transactions (id, safe_id, user_id, kind, "to", value, data, operation, token_address, amount,
        delay_address, signer, message_hash, enqueue_data, status, enqueue_task_id, dispatch_task_id, queue_nonce,
        enqueued_hash, executed_hash, enqueued_block, ended_block, ready_at, expires_at, reason, request_id,
        created_at, updated_at)
      select 'old-' || n, 'old-' || u, 'old-' || u, 'withdrawal', ${address("f")}, 0, left(${enqueueData}, 138), 'CALL',
        ${address("f")}, 1, '0xc' || lpad(to_hex(u), 39, '0'), '0xa' || lpad(to_hex(u), 39, '0'), ${hash("1")},
        ${enqueueData}, case when n % 97 = 1 then 'FAILED' else 'EXECUTED' end, 'old-' || n, 'dispatch-' || n,
        case when u = 1 then n / 10 else n / ${users}::int end, ${hash("2")}, ${hash("3")}, ${block}, ${block} + 1, ${at}, ${at}, case when n % 97 = 1 then 'It expired' end, 'old-' || n, ${at}, ${at}
      from (select n, ${owner} as u from ${series(operations)}) places`,
    sql`insert into relayers (address, next_nonce) values ('0xold', 0)`,
    sql`insert into relay_transactions (id, purpose, subject_id, relayer, nonce, "to", value, data, gas_limit, status,
        mined_hash, block_number, block_hash, mined_at, request_id, created_at, updated_at)
      select ${id}, 'delay.dispatch', 'old-' || n, '0xold', n, ${address("c")}, 0, ${enqueueData}, 200000, 'MINED',
        ${hash("3")}, ${block} + 1, ${hash("4")}, ${at}, 'old-' || n, ${at}, ${at} from ${series(operations)}`,
    sql`insert into relay_nonces (relayer, nonce, relay_transaction_id) select '0xold', n, ${id} from ${series(operations)}`,
    sql`insert into relay_subjects (relay_transaction_id, subject_id, purpose, request_id)
      select ${id}, 'old-' || n, 'delay.dispatch', 'old-' || n from ${series(operations)}`,
    sql`insert into relay_attempts (hash, relay_transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, broadcast_at,
        is_cancellation, created_at)
      select ${hash("3")}, ${id}, ${enqueueData}, 3, 1, ${at}, false, ${at} from ${series(operations)}`,
    sql`insert into partners (id, name, webhook_url, payload, last_position, status, created_at)
      values ('old', 'Old', 'https://partner.example/', 'full', ${deliveries}, 'ACTIVE', now()),
        ('old-rare', 'Rare', 'https://partner.example/rare', 'full', ${deliveries}, 'ACTIVE', now())`,
    sql`insert into subscriptions (id, partner_id, user_id, wallet_address, last_sequence, created_at)
      select 'old-' || n, 'old', 'old-' || n, ${address("a")}, ${deliveries}, ${at} from ${series(users)}`,
    sql`insert into published_balances (safe_id, total, pending, published_at) select 'old-' || n, n, 0, ${at} from ${series(users)}`,
    sql`insert into events (id, user_id, request_id, event_type, data, is_pending, created_at)
      select ${id}, ${payer}, 'old-' || n, 'account.withdrawal.completed',
        json_build_object('userId', n, 'hash', ${hash("3")}), false, ${at} from ${series(deliveries)}`,
    sql`insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts,
        schedule_from, next_attempt_at, created_at, ended_at)
      select ${deliveryId}, case when n % 4000 = 7 then 'old-rare' else 'old' end, ${payer}, ${id}, n, n, case when n % 10 = 7 then 'FAILED' else 'DELIVERED' end, 1, 0, ${at}, ${at}, ${at}
      from ${series(deliveries)}`,
    sql`insert into delivery_attempts (delivery_id, attempt, at, status, duration_ms)
      select ${deliveryId}, 1, ${at}, 200, 40 from ${series(deliveries)}`,
    sql`insert into decision_hours (hour, reason, ms_max, count)
      select date_trunc('hour', now()) - n * interval '1 hour', reason, ms_max, 1
      from generate_series(0, 743) n, unnest(array['approved', 'insufficient_funds', 'card_not_active']) reason,
        unnest(array[10, 20, 30, 50, 75, 100]) ms_max`,
    sql`insert into delivery_hours (partner_id, hour, succeeded, failed)
      select 'partner-' || p, date_trunc('hour', now()) - n * interval '1 hour', 100, 1
      from generate_series(0, 743) n, generate_series(1, 20) p`,
    sql`insert into idempotency_keys (scope, key, body_hash, status, reply, created_at)
      select 'old-' || n || ':POST:/api/v1/accounts/withdraw', 'key-' || n, ${hash("5")}, 200, '{}', now()
      from ${series(users)}`,
    buildPayments({ users, payments }),
    sql`insert into card_threads (thread_id, payment_id, user_id)
      select 'old-' || n, ${id}, ${payer} from ${series(payments)}`,
    sql`insert into card_transfers (id, sequence, payment_id, ordinal, user_id, safe_id, direction, amount, "to", data, salt, message_hash,
        is_collection, status, hash, ended_block, request_id, created_at, updated_at)
      select ${id} || ':0', n, ${id}, 0, ${payer}, ${payer}, 'spend', 1, ${address("d")}, left(${enqueueData}, 330),
        ${hash("6")}, ${hash("7")}, false, 'DONE', ${hash("8")}, -n, 'old-' || n, ${at}, ${at} from ${series(payments)}`,
    sql`insert into ledger_entries (id, payment_id, ordinal, user_id, safe_id, held, settlement, created_at)
      select ${id}, ${id}, 0, ${payer}, ${payer}, -1, 1, ${at}
      from ${series(payments)}`,
    sql`insert into issuer_callbacks (id, type, outcome, received_at) select 'old-' || n, 'issuing', 'handled', ${at} from ${series(payments)}`,
    sql`with task as (insert into graphile_worker._private_tasks (identifier) values ('old') returning id)
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, key)
      select task.id, json_build_object('safeId', 'old-' || n, 'requestId', 'old-' || n), now() + interval '100 days' + n * interval '1 second',
        25, 'old:' || n from task, ${series(jobs)}`,
  ];
}

/** Adds the partitions of the months in which the rows were made. */
async function addPartitions(db: Parameters<typeof listMonths>[0]): Promise<void> {
  const months = Array.from({ length: monthsMax }, (_, n) => monthOf(new Date(madeAt(n))));
  for (const table of Object.keys(partitionedTables) as PartitionedTable[]) {
    const existing = await listMonths(db, table);
    for (const month of new Set(months).difference(new Set(existing))) {
      await db.execute(sql`select add_month(${table}, ${month})`);
    }
  }
}

/** Triggers and references are switched off: the rows are valid as written, in any order. */
const parameters = { statement_timeout: 0, session_replication_role: "replica", maintenance_work_mem: "256MB" };
const connectionsMax = 4;

type Db = ReturnType<typeof drizzle>;

/** Opens a database in which rows are written as they are given. */
async function withDatabase(databaseUrl: string, write: (db: Db) => Promise<void>): Promise<void> {
  const client = postgres(databaseUrl, { max: connectionsMax, onnotice: () => {}, connection: parameters });
  try {
    await write(drizzle(client));
  } finally {
    await client.end();
  }
}

/** Writes rows into the tables whose names begin so. Written row by row, indexes take many times longer than built at the end. */
async function withoutIndexes(db: Db, prefix: string, write: () => Promise<void>): Promise<void> {
  // An index of a partition goes and comes with its parent's.
  const indexes = await db.execute<{ name: string; table: string; definition: string }>(sql`
    select format('%I.%I', schemaname, indexname) as name, tablename as "table", replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes join pg_class on relname = indexname
    where schemaname in ('public', 'sandbox') and not relispartition and starts_with(tablename, ${prefix})
      and not exists (select from pg_constraint where conname = indexname)`);
  await Promise.all(indexes.map(({ name }) => db.execute(sql.raw(`drop index ${name}`))));
  await write();
  // Two at once of one table would choose one name for the indexes of a partition.
  const ofTables = Object.values(Object.groupBy(indexes, ({ table }) => table));
  const build = async (own: readonly { definition: string }[] | undefined) => {
    for (const { definition } of own ?? []) await db.execute(sql.raw(definition));
  };
  await Promise.all(ofTables.map(build));
}

/** Adds rows to the tables and vacuums them, as after years of use. */
export const fill = (databaseUrl: string, sizes: Sizes): Promise<void> =>
  withDatabase(databaseUrl, async (db) => {
    await withoutIndexes(db, "", async () => {
      await addPartitions(db);
      const statements = [
        ...buildStatements(sizes),
        ...buildRecordStatements(sizes),
        ...buildBookStatements(sizes),
        ...buildSandboxStatements(sizes),
      ];
      await Promise.all(statements.map((statement) => db.execute(statement)));
    });
    await db.execute(sql`vacuum analyze`);
    await db.execute(sql`checkpoint`);
  });

/** Adds uses of cards alone. */
export const fillPayments = (databaseUrl: string, sizes: Pick<Sizes, "users" | "payments">): Promise<void> =>
  withDatabase(databaseUrl, async (db) => {
    await withoutIndexes(db, "card_payments", async () => {
      await addPartitions(db);
      await db.execute(buildPayments(sizes));
    });
    await db.execute(sql`vacuum analyze card_payments`);
  });

/** Has rows of the books written. */
export const fillBooks = (databaseUrl: string, write: () => Promise<void>): Promise<void> =>
  withDatabase(databaseUrl, (db) => withoutIndexes(db, "book_", write));
