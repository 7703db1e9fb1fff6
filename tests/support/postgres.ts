/** The Postgres server of a test run: the runner's, or one that this process starts at the first need. */
import { migrate } from "@cardkeep/db/migrate";
import { startPostgres } from "@cardkeep/local/postgres";
import { migrate as migrateSandbox } from "@cardkeep/sandbox/migrate";
import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { atEnd } from "./ends.ts";

export interface TestServer {
  /** Address of the database that others are cloned from. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The variable in which the runner passes the server's address to its tests. */
export const serverVariable = "CARDKEEP_TEST_DATABASE_URL";
/** A database at this version without connections: it exists to be cloned. */
export const templateName = "cardkeep_template";

const prefix = "cardkeep-test-";
/** A file system in memory, on Linux. */
const memoryFolder = "/dev/shm";
/** All databases of a run need about 4 GB. */
const freeBytesMin = 12 * 2 ** 30;

/**
 * Where databases are made: in memory if there is room. Each has a thousand files, and a disk's file system needs a third of
 * a second of processor time for them, ten times as much as memory.
 */
async function findFolder(): Promise<string> {
  const space = await statfs(memoryFolder).catch(() => null);
  if (space === null || Math.min(space.bavail * space.bsize, freemem()) < freeBytesMin) return tmpdir();
  await removeAbandoned(memoryFolder);
  return memoryFolder;
}

/** Removes the data of killed runs, whose servers ended with them. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const lock = await readFile(join(folder, name, "postmaster.pid"), "utf8").catch(() => null);
    if (lock !== null && !isAlive(Number.parseInt(lock, 10)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Starts a server with the template, which deletes its data at the end. With `fsync` it writes to disk as in
 * production.
 */
export async function startTestServer({ fsync = false } = {}): Promise<TestServer> {
  const dataDirectory = join(fsync ? tmpdir() : await findFolder(), `${prefix}${randomUUID()}`);
  const server = await startPostgres({ dataDirectory, fsync });
  const stop = async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    await buildTemplate(server.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}

async function buildTemplate(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin`create database ${admin(templateName)}`;
    const template = nameDatabase(url, templateName);
    await migrate(template);
    await migrateSandbox(template);
    await admin`alter database ${admin(templateName)} with is_template true allow_connections false`;
  } finally {
    await admin.end();
  }
}

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
