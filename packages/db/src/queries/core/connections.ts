/** Which processes hold connections, by their application names. */
import { sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import type { Db } from "../../client.ts";

/** The application name of a process: its kind, an id of its own, and how many connections it may hold. */
export const nameProcess = (part: string, connectionsMax: number): string =>
  `cardkeep-${part}:${randomBytes(4).toString("hex")}:${connectionsMax}`;

export interface Processes {
  part: "server" | "worker" | "sandbox" | "cli";
  count: number;
  /** What all of them may hold. */
  connectionsMax: number;
}

export interface ConnectionUse {
  /** Processes with a connection to this database now. */
  processes: Processes[];
  /** Workers by the sessions of their queue. */
  workers: number;
  /** Connections of other programs and databases. */
  foreign: number;
  /** Connections that the server gives to roles without privileges. */
  available: number;
}

/** Reads who holds connections of the server, and who may. */
export async function readConnectionUse(db: Db): Promise<ConnectionUse> {
  const [processes, [totals]] = await Promise.all([
    db.execute<Processes & Record<string, unknown>>(sql`
      with named as (
        select distinct regexp_match(application_name, '^cardkeep-(server|worker|sandbox|cli):([0-9a-f]+):(\\d+)$') as parts
        from pg_stat_activity where datname = current_database())
      select parts[1] as part, count(*)::int, sum(parts[3]::int)::int as "connectionsMax"
      from named where parts is not null group by 1 order by 1 desc`),
    db.execute<{ workers: number; foreign: number; available: number }>(sql`
      select count(distinct application_name)
          filter (where datname = current_database() and application_name like 'cardkeep-liveness:%')::int as workers,
        count(*) filter (where backend_type = 'client backend'
          and (datname is distinct from current_database() or application_name not like 'cardkeep-%'))::int as foreign,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true), '0')::int as available
      from pg_stat_activity`),
  ]);
  return { processes: [...processes], ...(totals ?? { workers: 0, foreign: 0, available: 0 }) };
}

/** A role of connected servers and workers, and whether it owns the tables or may do anything. */
export interface ServiceRole {
  name: string;
  mayChange: boolean;
}

/** The roles of the servers and workers with a connection to this database now, in the order of their names. */
export async function listServiceRoles(db: Db): Promise<ServiceRole[]> {
  return db.execute<ServiceRole & Record<string, unknown>>(sql`
    select rolname as name, rolsuper or pg_has_role(oid, (select relowner from pg_class
      where oid = 'operator_actions'::regclass), 'MEMBER') as "mayChange"
    from pg_roles where oid in (select usesysid from pg_stat_activity
      where datname = current_database() and application_name ~ '^cardkeep-(server|worker):')
    order by rolname`);
}

/** The time limit of a statement outside of a transaction, in milliseconds; 0 for none. */
export async function readStatementTimeoutMs(db: Db): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select setting::int as ms from pg_settings where name = 'statement_timeout'`,
  );
  return row?.ms ?? 0;
}

/** A session that outlives its client's machine for longer is too long for everybody who waits for it. */
const endedSecondsMax = 60;

/** Whether Postgres ends this session within a minute after its client's machine vanished. A Unix socket crosses no network. */
export async function endsLostSessions(db: Db): Promise<boolean> {
  const [row] = await db.execute<{ isEnded: boolean }>(sql`
    with limits as (select name, setting::int from pg_settings where name in ('idle_in_transaction_session_timeout',
      'tcp_user_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'))
    select coalesce((select setting between 1 and ${endedSecondsMax * 1_000} from limits
        where name = 'idle_in_transaction_session_timeout'), false)
      and (inet_server_addr() is null or (
        (select setting from limits where name = 'tcp_user_timeout') between 1 and ${endedSecondsMax * 1_000}
        and (select setting from limits where name = 'tcp_keepalives_idle')
          + (select setting from limits where name = 'tcp_keepalives_interval')
          * (select setting from limits where name = 'tcp_keepalives_count') between 1 and ${endedSecondsMax})) as "isEnded"`);
  return row?.isEnded ?? false;
}
