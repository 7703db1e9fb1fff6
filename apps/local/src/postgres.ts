/** A Postgres for this program alone: the binaries from npm, run directly, without an installation on the machine. */
import { localDatabaseUrl } from "@cardkeep/runtime/local";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Child, startChild } from "./child.ts";
import { findRunning, stopOrphan, writePidFile } from "./pidFile.ts";
import { findFreePort, isPortFree } from "./ports.ts";
import { locateBinaries, locateData, serverUser } from "./postgresFiles.ts";

export interface Postgres {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves with the reason when the server has ended. */
  readonly ended: Promise<string>;
  /** A fast shutdown: it ends the connections, and everything committed is on disk. */
  stop(): Promise<void>;
}

const readyMsMax = 30_000;
const readyEveryMs = 5;
const stopMsMax = 2_000;
/** The line of the lock file with the server's state. */
const stateLine = 7;

/**
 * Starts a server on a data directory and returns the address of its database `cardkeep`. It creates a missing
 * directory.
 *
 * The server listens on this machine alone and ends with this process. If an earlier process left a server running on
 * the same directory, that server is stopped first. Without a port, or with 0, it takes a free one.
 * @throws Error in one line that says what to do
 */
export async function startPostgres(options: {
  dataDirectory: string;
  port?: number;
  fsync?: boolean;
  /** Memory of its page cache; by default Postgres' own 128 MB. The system caches files anyway. */
  sharedBuffers?: string;
  logFile?: string;
  /** A further address to listen on, for tests of networks. */
  address?: string;
}): Promise<Postgres> {
  const binaries = locateBinaries();
  const dataDirectory = locateData(options.dataDirectory);
  const pidFile = `${resolve(options.dataDirectory)}.pid`;
  await stopOrphan({ pidFile, marker: dataDirectory, signal: "SIGINT" });
  const port = options.port || (await findFreePort());
  if (!(await isPortFree(port)))
    throw new Error(`Port ${port} is in use. Stop the other program or set POSTGRES_PORT.`);
  if (!existsSync(join(dataDirectory, "PG_VERSION"))) await initialise(binaries, dataDirectory);
  removeStaleLock(dataDirectory);
  const logFile = options.logFile ?? join(dataDirectory, "server.log");
  const settings = Object.entries({
    ...serverSettings(port, options.fsync ?? true),
    ...(options.sharedBuffers !== undefined && { shared_buffers: options.sharedBuffers }),
    ...(options.address !== undefined && { listen_addresses: `127.0.0.1,${options.address}` }),
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = startChild({
    command: join(binaries, "bin/postgres"),
    args: ["-D", dataDirectory, ...settings],
    env: environment,
    cwd: "/",
    logFile,
    leash: { kind: "signal", signal: "SIGINT" },
    ...serverUser,
  });
  writePidFile(pidFile, child.pid);
  const stop = async () => {
    await child.stop("SIGINT", "SIGQUIT", stopMsMax);
    rmSync(pidFile, { force: true });
  };
  try {
    await waitUntilReady(child, dataDirectory, logFile);
    await createDatabase(port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: localDatabaseUrl(port), port, pid: child.pid, ended: child.ended, stop };
}

/** The server must not see our environment. */
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

const serverSettings = (port: number, fsync: boolean): Record<string, string> => ({
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  fsync: fsync ? "on" : "off",
  synchronous_commit: fsync ? "on" : "off",
  full_page_writes: fsync ? "on" : "off",
  // The details of an error hold values of rows, such as mail addresses.
  log_error_verbosity: "terse",
});

/** Creates the directory under another name and renames it: an interrupted run never leaves a partial directory. */
async function initialise(binaries: string, dataDirectory: string): Promise<void> {
  const partial = `${dataDirectory}.new`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(partial, serverUser.uid, serverUser.gid);
  const options = ["-U", "cardkeep", "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync", "--no-instructions"];
  const child = Bun.spawn([join(binaries, "bin/initdb"), "-D", partial, ...options], {
    cwd: "/",
    env: environment,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    ...serverUser,
  });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Postgres could not create ${dataDirectory}: ${findReason(said)}`);
  rmSync(dataDirectory, { recursive: true, force: true });
  renameSync(partial, dataDirectory);
}

const readLock = (dataDirectory: string): string[] => {
  const path = join(dataDirectory, "postmaster.pid");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
};

/**
 * After a restart of the machine or container another process may have the number, and Postgres would refuse to
 * start.
 */
function removeStaleLock(dataDirectory: string): void {
  const [pid] = readLock(dataDirectory);
  if (pid !== undefined && !findRunning(Number(pid), dataDirectory)) rmSync(join(dataDirectory, "postmaster.pid"));
}

async function waitUntilReady(child: Child, dataDirectory: string, logFile: string): Promise<void> {
  let end: string | null = null;
  void child.ended.then((how) => (end = how));
  const deadline = Date.now() + readyMsMax;
  for (;;) {
    const lock = readLock(dataDirectory);
    if (Number(lock[0]) === child.pid && lock[stateLine]?.trim() === "ready") return;
    if (end !== null)
      throw new Error(`Postgres did not start (${end}): ${findReason(readFileSync(logFile, "utf8"))}; see ${logFile}`);
    if (Date.now() > deadline) throw new Error(`Postgres was not ready within ${readyMsMax / 1000} s: see ${logFile}`);
    await Bun.sleep(readyEveryMs);
  }
}

/** The line with the cause: the last fatal one, or the last of all. */
function findReason(text: string): string {
  const lines = text.trim().split("\n");
  return lines.findLast((line) => /\b(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? "";
}

async function createDatabase(port: number): Promise<void> {
  const sql = new Bun.SQL(`postgres://cardkeep@127.0.0.1:${port}/postgres`, { max: 1 });
  try {
    const found = await sql`select 1 from pg_database where datname = 'cardkeep'`;
    if (found.length === 0) await sql`create database cardkeep`;
  } finally {
    await sql.close();
  }
}
