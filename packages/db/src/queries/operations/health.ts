/** What the rows say about how the service fares. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Db, Executor } from "../../client.ts";
import type { DelayStatus } from "@cardkeep/contract/accounts/delays";
import type { LaneState } from "@cardkeep/contract/chain/lanes";
import { delayTransactions } from "../../schema/tables.ts";
import { isOpenDelay } from "../accounts/delays/delays.ts";

/**
 * Whether the database takes writes, and how many of its connections are taken. Rejects where it does not answer.
 *
 * A connection counts as taken unless it is kept for superusers; those of other databases of the server count too.
 */
export async function readDatabaseState(
  db: Db,
): Promise<{ isReadOnly: boolean; connections: number; connectionsMax: number }> {
  const [row] = await db.execute<{ isReadOnly: boolean; connections: number; connectionsMax: number }>(sql`
    select current_setting('transaction_read_only')::bool as "isReadOnly",
      (select sum(numbackends)::int from pg_stat_database) as connections,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "connectionsMax"`);
  return row ?? { isReadOnly: false, connections: 0, connectionsMax: 0 };
}

/** Writes about 1 MB to a temporary table, which the commit drops. Rejects with SQLSTATE 53100 when the disk is full. */
export async function probeDiskSpace(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      create temporary table disk_probe on commit drop as select md5(i::text) from generate_series(1, 20000) as i`),
  );
}

/** The database's own time. */
export async function readDatabaseTime(on: Executor): Promise<Date> {
  const [row] = await on.execute<{ ms: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
  );
  return new Date(row?.ms ?? Number.NaN);
}

/** The server's version as Postgres reports it, `17.2`, and its major number. */
export async function readServerVersion(db: Db): Promise<{ version: string; major: number }> {
  const [row] = await db.execute<{ version: string; number: number }>(
    sql`select split_part(current_setting('server_version'), ' ', 1) as version, current_setting('server_version_num')::int as number`,
  );
  return { version: row?.version ?? "unknown", major: Math.floor((row?.number ?? 0) / 10_000) };
}

export interface OpenDelays {
  status: DelayStatus;
  count: number;
  /** How long ago the oldest of them was accepted. */
  ageSeconds: number;
  /** How long the most belated of them could have been executed. */
  latenessSeconds: number;
}

/** Open delayed operations by status. */
export async function measureDelays(db: Db, now: Date): Promise<OpenDelays[]> {
  return db.execute<OpenDelays & Record<string, unknown>>(sql`
    select status, count(*)::int,
      extract(epoch from ${now.toISOString()}::timestamptz - min(created_at))::float8 as "ageSeconds",
      greatest(0, coalesce(max(extract(epoch from ${now.toISOString()}::timestamptz - ready_at)), 0))::float8 as "latenessSeconds"
    from ${delayTransactions} where ${isOpenDelay} group by status`);
}

export interface OpenDeliveries {
  /** Outbox: not handed out yet. Held: its endpoint is disabled or left alone. */
  state: "outbox" | "due" | "retrying" | "held";
  count: number;
  /** How long the most belated of them could have been sent, in seconds; 0 where its time is still to come. */
  lagSeconds: number;
}

/** Events on their way to partners, by what they wait for. */
export async function measureDeliveries(db: Db, now: Date): Promise<OpenDeliveries[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  return db.execute<OpenDeliveries & Record<string, unknown>>(sql`
    with open as (
      select 'outbox' as state, created_at as since from events where is_pending
      union all
      select case
        when p.status <> 'ACTIVE' or p.webhook_status <> 'ACTIVE' or p.paused_until > ${at} then 'held'
        when d.next_attempt_at > ${at} then 'retrying'
        else 'due' end, d.next_attempt_at
      from deliveries d join partners p on p.id = d.partner_id where d.status = 'PENDING')
    select state, count(*)::int, greatest(0, extract(epoch from ${at} - min(since)))::float8 as "lagSeconds"
    from open group by state`);
}

/** More queue entries than these are not counted. */
const foreignCountedMax = 5_000;

/** Queue entries of our Safes that were seen and without an operation of ours, `foreignCountedMax` at most. */
export async function countForeignEntries(db: Db): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int from (select from foreign_entries limit ${foreignCountedMax}) found`);
  return row?.count ?? 0;
}

export interface RelayerLane {
  address: Address;
  nextNonce: bigint;
  state: LaneState;
  /** Transactions that are signed and not known to be mined. */
  openCount: number;
}

/** The lanes that were ever used. */
export async function listRelayerLanes(db: Db): Promise<RelayerLane[]> {
  const rows = await db.execute<{ address: Address; nextNonce: string; state: LaneState; openCount: number }>(sql`
    select address, next_nonce as "nextNonce", state, (select count(*)::int from open_relays o where o.relayer = relayers.address) as "openCount"
    from relayers`);
  return rows.map((row) => ({ ...row, nextNonce: BigInt(row.nextNonce) }));
}

/** Connections to this database by the part that holds them and by what they do. */
export async function countConnections(db: Db): Promise<{ part: string; state: string; count: number }[]> {
  return db.execute<{ part: string; state: string; count: number }>(sql`
    select split_part(application_name, ':', 1) as part, coalesce(state, 'unknown') as state, count(*)::int from pg_stat_activity
    where datname = current_database() and application_name like 'cardkeep-%' group by 1, 2`);
}
