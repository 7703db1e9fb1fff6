/** pgBackRest: a base backup, the archive of the log, and a restore to a moment. */
import { migrate } from "@cardkeep/db/migrate";
import { type Child, startChild } from "@cardkeep/local/child";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/poll.ts";
import { readCommands, runCommands } from "../support/pageCommands.ts";
import { findFreePorts } from "../support/ports.ts";
import { askServer } from "../support/standby.ts";
import type { Programs } from "./programs.ts";

export interface BackupReport {
  backupMs: number;
  restoreMs: number;
  /** Rows from before the moment, and from after it. */
  kept: number;
  undone: number;
}

/** Backs up a server of one node, writes before and after a moment, and restores to it. */
export async function playBackup(programs: Programs, folder: string): Promise<BackupReport> {
  const [port = 0] = await findFreePorts(1);
  const [data, repository] = [join(folder, "backup-data"), join(folder, "repository")];
  for (const path of [data, repository, join(folder, "spool")]) makeFolder(programs, path);
  const configuration = join(folder, "pgbackrest.conf");
  writeFileSync(
    configuration,
    `[global]
repo1-path=${repository}
repo1-retention-full=2
log-path=${folder}/spool
lock-path=${folder}/spool
spool-path=${folder}/spool
start-fast=y
[cardkeep]
pg1-path=${data}
pg1-port=${port}
pg1-socket-path=${folder}/spool
pg1-user=postgres
`,
  );
  const page = "apps/cli/RUNBOOK.md";
  const run = (commands: string, values: Record<string, string> = {}): void => {
    const env = {
      PATH: `${programs.postgres}:/usr/bin:/bin`,
      LC_ALL: "C",
      PGDATA: data,
      PGBACKREST_CONFIG: configuration,
    };
    runCommands(commands, { env: { ...env, ...values }, user: programs.user });
  };
  run(`initdb -U postgres --auth=trust --data-checksums`);
  const archive = "archive_command=pgbackrest --stanza=cardkeep archive-push %p";
  const start = () =>
    startServer(programs, { data, port, folder, configuration, settings: ["archive_mode=on", archive] });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server = await start();
  try {
    await migrate(url);
    await askServer(url, "create table notes (text text)");
    const backupAt = performance.now();
    run(await readCommands(page, "Back up"));
    const backupMs = performance.now() - backupAt;
    await askServer(url, "insert into notes values ('before')");
    // pgBackRest knows when a backup ended to the second, and restores to a later moment only.
    await askServer(url, "select pg_sleep(1.1)");
    const [moment] = await askServer<{ at: string }>(url, "select clock_timestamp()::text as at");
    await askServer(url, "insert into notes values ('after')");
    await askServer(url, "select pg_switch_wal()");
    await server.stop("SIGINT", "SIGQUIT", 20_000);
    const restoreAt = performance.now();
    run(await readCommands(page, "Restore to a moment"), { MOMENT: moment?.at ?? "" });
    server = await start();
    await until(
      async () => (await askServer(url, "select 1 where not pg_is_in_recovery()").catch(() => [])).length === 1,
      { timeoutMs: 60_000 },
    );
    const restoreMs = performance.now() - restoreAt;
    const notes = await askServer<{ text: string }>(url, "select text from notes");
    const count = (text: string) => notes.filter((note) => note.text === text).length;
    return { backupMs, restoreMs, kept: count("before"), undone: 1 - count("after") };
  } finally {
    await server.stop("SIGINT", "SIGQUIT", 20_000);
  }
}

function makeFolder({ user }: Programs, path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

async function startServer(
  programs: Programs,
  {
    data,
    port,
    folder,
    configuration,
    settings,
  }: { data: string; port: number; folder: string; configuration: string; settings: readonly string[] },
): Promise<Child> {
  const all = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}/spool`, ...settings];
  const server = startChild({
    command: join(programs.postgres, "postgres"),
    args: ["-D", data, ...all.flatMap((setting) => ["-c", setting])],
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", PGBACKREST_CONFIG: configuration },
    cwd: "/",
    logFile: join(folder, "backup.log"),
    leash: { kind: "signal", signal: "SIGINT" },
    ...programs.user,
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await until(() =>
    askServer(url, "select 1").then(
      () => true,
      () => false,
    ),
  );
  return server;
}
