/** A database of a test's own. */
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { getServerUrl, nameDatabase, templateName } from "./postgres.ts";
import { until } from "./poll.ts";

export interface TestDatabase {
  readonly url: string;
  /**
   * Lets go of it and ends whoever is still connected. Its files go with the server: where a thousand were removed a moment
   * ago, a file system takes most of a second of processor time to make the thousand of the next one.
   */
  drop(): Promise<void>;
}

/** Makes a database at this version, in tens of milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => {
    // The connection that built the template may need a moment to be gone.
    await until(() => cloneDatabase(admin, name, templateName), { timeoutMs: 5_000 });
  });

/** Makes a copy of a database as it stands, as a backup would be; whoever is connected to it has to connect again. */
export const copyDatabase = (url: string): Promise<TestDatabase> => {
  const source = new URL(url).pathname.slice(1);
  return createDatabase(async (admin, name) => {
    await disconnect(admin, source);
    await until(() => cloneDatabase(admin, name, source), { timeoutMs: 5_000 });
  });
};

/** Makes a database that was never migrated. */
export const createEmptyDatabase = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => void (await admin`create database ${admin(name)} template template0`));

async function createDatabase(create: (admin: postgres.Sql, name: string) => Promise<void>): Promise<TestDatabase> {
  const serverUrl = await getServerUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await asAdmin(serverUrl, (admin) => create(admin, name));
  return {
    url: nameDatabase(serverUrl, name),
    drop: () => asAdmin(serverUrl, (admin) => disconnect(admin, name)),
  };
}

async function disconnect(admin: postgres.Sql, name: string): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
}

async function cloneDatabase(admin: postgres.Sql, name: string, source: string): Promise<boolean> {
  try {
    await admin`create database ${admin(name)} template ${admin(source)} strategy wal_log`;
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
