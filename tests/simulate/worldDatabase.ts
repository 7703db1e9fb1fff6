/** The real Postgres of a simulated world. Its own sources of time and chance come from the world. */
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import postgres from "postgres";
import { createTestDatabase } from "../support/database.ts";
import { sleepReally } from "./virtualTime.ts";

export interface WorldDatabase {
  readonly url: string;
  readonly serviceUrl: string;
  /** Questions of the world itself, which no scheduler holds. */
  readonly ask: postgres.Sql;
  /** Sets the time of the database. */
  setTime(atMs: number): Promise<void>;
  countLockWaits(): Promise<number>;
  /** Ends the sessions of a process as its death does, and waits until their locks are free. */
  endSessions(applicationName: string): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Functions by the names of Postgres' own, found first by the search path of the world's sessions. A draw is the hash of
 * a number that only grows, so it depends on the order of statements alone. The time is a sequence, because a row would leave as many
 * versions as there are milliseconds.
 */
const replaceSources = `
  create schema simulation;
  create sequence simulation.world_ms;
  create view simulation.world_time as select to_timestamp(last_value::float8 / 1000) as at from simulation.world_ms;
  create sequence simulation.draws;
  create function simulation.now() returns timestamptz language sql stable as 'select at from simulation.world_time';
  create function simulation.clock_timestamp() returns timestamptz language sql stable as 'select at from simulation.world_time';
  create function simulation.draw() returns bigint language sql volatile as
    'select abs(hashint8extended(nextval(''simulation.draws''), 42))';
  create function simulation.random() returns float8 language sql volatile as
    'select (simulation.draw() % 1000000007)::float8 / 1000000007';
  create function simulation.gen_random_uuid() returns uuid language sql volatile as
    'select overlay(overlay(md5(simulation.draw()::text) placing ''4'' from 13) placing ''8'' from 17)::uuid';
  create function simulation.pg_control_system(out system_identifier bigint) language sql immutable as 'select 1::bigint';
  create function simulation.pg_current_wal_lsn() returns pg_lsn language sql volatile as
    'select ''0/0''::pg_lsn + nextval(''simulation.draws'')::numeric';
  -- Transactions begin in the real time there.
  create view simulation.pg_stat_activity as select datname, pid, usesysid, application_name, state, wait_event_type, backend_type,
    null::timestamptz as xact_start from pg_catalog.pg_stat_activity;
  create view simulation.pg_database as select 1::oid as oid, current_database() as datname;
  -- What is settled changes its state no more, but by a reorganisation.
  create table simulation.settled_twice (id text primary key);
  create function simulation.note_settled_twice() returns trigger language plpgsql security definer
    set search_path = simulation, public, pg_catalog as
    'begin insert into simulation.settled_twice values (new.id) on conflict do nothing; return null; end';
  create trigger note_settled_twice after update of status on relay_transactions for each row
    when (old.status in ('MINED', 'REVERTED', 'LOST') and new.status in ('MINED', 'REVERTED', 'LOST'))
    execute function simulation.note_settled_twice();
  grant select on simulation.pg_database, simulation.pg_stat_activity to ${serviceRoleDefault};
  grant usage on schema simulation to ${serviceRoleDefault};
  grant select on simulation.world_time, simulation.world_ms to ${serviceRoleDefault};
  grant usage on sequence simulation.draws to ${serviceRoleDefault};
  do $$
  declare found record;
  begin
    for found in
      select d.adrelid::regclass as relation, a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where pg_get_expr(d.adbin, d.adrelid) ~ '\\m(now|clock_timestamp|random|gen_random_uuid)\\(\\)' and a.attgenerated = ''
    loop
      execute format('alter table %s alter column %I set default %s', found.relation, found.name,
        regexp_replace(found.expression, '\\m(now|clock_timestamp|random|gen_random_uuid)\\(\\)', 'simulation.\\1()', 'g'));
    end loop;
    -- Those of the template are of the month in which it was made.
    for found in select inhrelid::regclass as relation, inhparent::regclass as parent from pg_inherits where inhrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$' loop
      execute format('alter table %s detach partition %s', found.parent, found.relation);
      execute format('drop table %s', found.relation);
    end loop;
    execute format('alter database %I set search_path = simulation, public, pg_catalog', current_database());
    execute format('alter database %I set synchronous_commit = off', current_database());
    execute format('alter database %I set timezone = ''UTC''', current_database());
  end $$;`;

/**
 * A snapshot as old as the world. Without it Postgres removes old versions of rows when no session may need them, which goes by the real
 * time, and so do the places of new rows, the sizes of tables, and at last plans and the order of rows.
 */
const keepVersions = "begin isolation level repeatable read; select from simulation.world_time";

export async function createWorldDatabase(): Promise<WorldDatabase> {
  const database = await createTestDatabase();
  const owner = postgres(database.url, { max: 1, onnotice: () => {} });
  await owner.unsafe(replaceSources);
  await owner.end();
  const lasting = { onnotice: () => {}, idle_timeout: 0, max_lifetime: null };
  const ask = postgres(database.url, { max: 2, ...lasting });
  const keeper = postgres(database.url, { max: 1, ...lasting });
  await keeper.unsafe(keepVersions);
  return {
    url: database.url,
    serviceUrl: database.serviceUrl,
    ask,
    setTime: async (atMs) => {
      await ask`select setval('simulation.world_ms', ${Math.floor(atMs)}::bigint)`;
    },
    countLockWaits: async () => {
      const [row] = await ask<{ count: number }[]>`
        select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`;
      return row?.count ?? 0;
    },
    endSessions: async (applicationName) => {
      const open = async () => {
        const [row] = await ask<{ count: number }[]>`
          select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
          where datname = current_database() and application_name = ${applicationName}`;
        return (row?.count ?? 0) > 0;
      };
      while (await open()) await sleepReally(1);
    },
    drop: async () => {
      await Promise.all([ask.end({ timeout: 1 }), keeper.end({ timeout: 1 })]);
      await database.drop();
    },
  };
}
