/** A database of a test's own. */
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { getServerUrl, nameDatabase, templateName } from "./postgres.ts";
import { until } from "./poll.ts";

export interface TestDatabase {
  readonly url: string;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

/** Makes a database at this version, in tens of milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => {
    // The connection that built the template may need a moment to be gone.
    await until(() => cloneTemplate(admin, name), { timeoutMs: 5_000 });
  });

/** Makes a database that was never migrated. */
export const createEmptyDatabase = (): Promise<TestDatabase> =>
  createDatabase(async (admin, name) => void (await admin`create database ${admin(name)} template template0`));

async function createDatabase(create: (admin: postgres.Sql, name: string) => Promise<void>): Promise<TestDatabase> {
  const serverUrl = await getServerUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await asAdmin(serverUrl, (admin) => create(admin, name));
  return {
    url: nameDatabase(serverUrl, name),
    drop: () => asAdmin(serverUrl, async (admin) => void (await admin`drop database ${admin(name)} with (force)`)),
  };
}

async function cloneTemplate(admin: postgres.Sql, name: string): Promise<boolean> {
  try {
    await admin`create database ${admin(name)} template ${admin(templateName)} strategy wal_log`;
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
