/** The Postgres server of a test run: the runner's, or one of this process's own from the first time a test needs it. */
import { migrate } from "@cardkeep/db/migrate";
import { startPostgres } from "@cardkeep/local/postgres";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { atEnd } from "./ends.ts";

export interface TestServer {
  /** Address of a database from which others are made. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Under this name the runner tells its tests the server's address. */
export const serverVariable = "CARDKEEP_TEST_DATABASE_URL";
/** A database at this version, which nobody may connect to: it is there to be cloned. */
export const templateName = "cardkeep_template";

/** Starts a server that forgets everything at its end, with the template in it; `fsync` has it write as one in service. */
export async function startTestServer({ fsync = false } = {}): Promise<TestServer> {
  const dataDirectory = join(tmpdir(), `cardkeep-test-${randomUUID()}`);
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
    await migrate(nameDatabase(url, templateName));
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

/** Address of the server of this run; the first call starts one where the runner did not. */
export async function getServerUrl(): Promise<string> {
  const given = process.env[serverVariable];
  if (given !== undefined) return given;
  own ??= startOwnServer();
  return (await own).url;
}
