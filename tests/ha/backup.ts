/** pgBackRest: a base backup, the archive of the log, and a restore to a moment. */
import { migrate } from "@cardkeep/db/migrate";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/poll.ts";
import { readCommands, runCommands } from "../support/pageCommands.ts";
import { findFreePorts } from "../support/ports.ts";
import { askServer } from "../support/standby.ts";
import { seconds } from "./modes.ts";
import type { Programs } from "./programs.ts";
import { makeFolder, startServer } from "./server.ts";

/** Backs up a server of one node, writes before and after a moment, and restores to it. */
export async function playBackup(programs: Programs, folder: string): Promise<string> {
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
    startServer(programs, {
      data,
      port,
      folder,
      settings: ["archive_mode=on", archive],
      env: { PGBACKREST_CONFIG: configuration },
    });
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
    return (
      `pgBackRest: backup ${seconds(backupMs)} s, restore to a moment ${seconds(restoreMs)} s, ` +
      `${count("before")} of 1 rows from before it is there, ${1 - count("after")} of 1 from after it is gone`
    );
  } finally {
    await server.stop("SIGINT", "SIGQUIT", 20_000);
  }
}
