/** The Postgres server of a test run: the runner's, or one that this process starts at the first need. */
import { copyTemplate } from "@cardkeep/local/databaseTemplate";
import { startPostgres } from "@cardkeep/local/postgres";
import { migrate as migrateSandbox } from "@cardkeep/sandbox/migrate";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { atEnd } from "./ends.ts";
import { createDataFolder } from "./dataFolder.ts";

export interface TestServer {
  /** Address of the database that others are cloned from. */
  readonly url: string;
  /** The folder of the data directory that it was copied from. */
  readonly templates: string;
  stop(): Promise<void>;
}

/** The variable in which the runner passes the server's address to its tests. */
export const serverVariable = "CARDKEEP_TEST_DATABASE_URL";
/** The variable in which the runner passes the folder of the server's template to its tests. */
export const templatesVariable = "CARDKEEP_TEST_TEMPLATES";
/** A database at this version without connections: it exists to be cloned. */
export const templateName = "cardkeep_template";

/**
 * Starts a server with the template, which deletes its data at the end. With `fsync` it writes to disk as in
 * production. Else its data is in memory where there is room.
 */
export async function startTestServer({ fsync = false } = {}): Promise<TestServer> {
  const folder = await createDataFolder({ onDisk: fsync });
  const [templates, dataDirectory] = [join(folder, "templates"), join(folder, "data")];
  await copyTemplate(templates, dataDirectory);
  const server = await startPostgres({ dataDirectory, fsync });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await buildTemplate(server.url);
    // Looking through hundreds of databases that are thrown away soon takes processor time from the tests. So does a plan of its own for
    // each of a statement's first five executions: connections of tests live for a few.
    if (!fsync) await setServer(server.url, "autovacuum = off", "plan_cache_mode = force_generic_plan");
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, templates, stop };
}

async function setServer(url: string, ...settings: string[]): Promise<void> {
  const admin = postgres(url, { max: 1 });
  for (const setting of settings) await admin.unsafe(`alter system set ${setting}`);
  await admin`select pg_reload_conf()`;
  await admin.end();
}

async function buildTemplate(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin`create database ${admin(templateName)} template cardkeep strategy file_copy`;
    await migrateSandbox(nameDatabase(url, templateName));
    await admin`alter database ${admin(templateName)} with is_template true allow_connections false`;
  } finally {
    await admin.end();
  }
}

/**
 * Fills the data directory of a test's own server with a database of this version, and nothing in it. The checkout's cache would
 * not do: its template stays when the code that migrates changes.
 */
export const fillData = (dataDirectory: string): Promise<void> =>
  copyTemplate(process.env[templatesVariable] ?? `${dataDirectory}.templates`, dataDirectory);

/** The address of another database on the same server. */
export function nameDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

let own: Promise<TestServer> | null = null;

async function startOwnServer(): Promise<TestServer> {
  const server = await startTestServer();
  atEnd(server.stop);
  return server;
}

/** Address of this run's server; the first call starts one if the runner did not. */
export async function getServerUrl(): Promise<string> {
  const given = process.env[serverVariable];
  if (given !== undefined) return given;
  own ??= startOwnServer();
  return (await own).url;
}
