/** A database for one test file. */
import type { Db } from "@cardkeep/db/client";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { createDistributed } from "./citus.ts";
import { isInMemory } from "./dataFolder.ts";
import { getServerUrl, nameDatabase, templateName } from "./postgres.ts";
import { until } from "./poll.ts";

/** More than any client of a test has. */
const connectionsMax = 40;

export interface TestDatabase {
  /** As its owner, who may do anything. */
  readonly url: string;
  /** As servers and workers in production: see `serviceRole.ts`. */
  readonly serviceUrl: string;
  /**
   * Drops it and ends its connections. On disk its files are removed with the server: after the removal of a thousand files, a
   * file system needs most of a second of processor time to create the next thousand.
   */
  drop(): Promise<void>;
}

/** Creates a database at this version, in tens of milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> => createDistributed() ?? cloneTemplate();

const cloneTemplate = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => {
    // The connection that built the template may need a moment to end.
    await until(() => cloneDatabase(admin, name, templateName));
  });

/** Creates a copy of a database, like a backup; its clients must connect again. */
export const copyDatabase = (url: string): Promise<TestDatabase> => {
  const source = new URL(url).pathname.slice(1);
  return createDatabase(async (admin, name) => {
    // Clients that run connect again, and would keep the copy from its begin: meanwhile the database has no place for them.
    await admin`alter database ${admin(source)} connection limit 0`;
    const tryOnce = async () => {
      await disconnect(admin, source);
      return cloneDatabase(admin, name, source);
    };
    await until(tryOnce).finally(() => admin`alter database ${admin(source)} connection limit -1`);
  });
};

/** Puts a copy in a database's place, as a restore does; clients that run connect again. */
export const putInPlace = async (copy: TestDatabase, url: string): Promise<void> => {
  const [name = "", source = ""] = [url, copy.url].map((each) => new URL(each).pathname.slice(1));
  await asAdmin(await getServerUrl(), async (admin) => {
    // Clients may connect again in between.
    const rename = (from: string, to: string) =>
      until(async () => {
        await disconnect(admin, from);
        return admin`alter database ${admin(from)} rename to ${admin(to)}`.then(
          () => true,
          () => false,
        );
      });
    await rename(name, `gone_${source}`);
    await rename(source, name);
  });
};

/** Waits until none of a client's connections is one that the server ended: a statement on such a one fails. */
export const untilConnected = (db: Pick<Db, "execute">): Promise<void> =>
  until(async () => {
    // Each takes a connection for itself.
    const asked = Array.from({ length: connectionsMax }, () => db.execute(sql`select pg_sleep(0.02)`));
    return (await Promise.allSettled(asked)).every(({ status }) => status === "fulfilled");
  });

/** Creates a database without migrations. */
export const createEmptyDatabase = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => void (await admin`create database ${admin(name)} template template0`));

async function createDatabase(create: (admin: postgres.Sql, name: string) => Promise<void>): Promise<TestDatabase> {
  const serverUrl = await getServerUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await asAdmin(serverUrl, (admin) => create(admin, name));
  const url = nameDatabase(serverUrl, name);
  return {
    url,
    serviceUrl: Object.assign(new URL(url), { username: serviceRoleDefault }).href,
    drop: () => asAdmin(serverUrl, (admin) => drop(admin, name)),
  };
}

async function drop(admin: postgres.Sql, name: string): Promise<void> {
  const [server] = await admin<{ folder: string }[]>`select current_setting('data_directory') as folder`;
  if (server && isInMemory(server.folder)) await admin`drop database if exists ${admin(name)} with (force)`;
  else await disconnect(admin, name);
}

async function disconnect(admin: postgres.Sql, name: string): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
}

/** The files are copied: writing them through the log takes twice the processor time, which is most of a file's start. */
async function cloneDatabase(admin: postgres.Sql, name: string, source: string): Promise<boolean> {
  try {
    await admin`create database ${admin(name)} template ${admin(source)} strategy file_copy`;
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === "55006") return false;
    throw error;
  }
}

async function asAdmin(url: string, work: (admin: postgres.Sql) => Promise<void>): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
