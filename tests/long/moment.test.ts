/** The handbook's restore to a moment, run as it is shown. */
import { expect, test } from "bun:test";
import { startPostgres } from "@cardkeep/local/postgres";
import { locateBinaries, serverUser } from "@cardkeep/local/postgresFiles";
import { appendFileSync, chownSync, mkdirSync, renameSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { createDataFolder } from "../support/dataFolder.ts";
import { readCommands, runCommands } from "../support/pageCommands.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { spawnApp } from "../support/process.ts";
import { generous } from "../support/service.ts";
import { askServer, copyRunning } from "../support/standby.ts";

test("the handbook's commands restore the database to a moment: who signed up before is there, who came later is not", async () => {
  const folder = await createDataFolder();
  const [data, archive, backup] = ["data", "archive", "backup"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(archive, { mode: 0o777 });
  await chmod(archive, 0o777);
  const [port = 0, serverPort = 0] = await findFreePorts(2);
  const start = () => startPostgres({ dataDirectory: data, port, fsync: false });
  await fillData(data);
  let postgres = await start();
  const { url } = postgres;
  for (const setting of ["archive_mode = on", `archive_command = 'cp %p ${archive}/%f'`])
    await askServer(url, `alter system set ${setting}`);
  await postgres.stop();
  postgres = await start();
  const env = { DATABASE_URL: url, RPC_URL: "http://127.0.0.1:1", PORT: String(serverPort), ...generous };
  const server = await spawnApp("server", env);
  await server.ready("listening");
  const signUp = async () =>
    (await new Person({ url: `http://127.0.0.1:${serverPort}`, sandboxUrl: "http://127.0.0.1:1" }).signIn()).signUp();

  await copyRunning({ url, dataDirectory: data, to: backup });
  const ada = await signUp();
  const [moment] = await askServer<{ now: string }>(url, "select clock_timestamp()::text as now");
  const bea = await signUp();
  // Named by the switch itself: what the server writes meanwhile is in a later file, which waits for a switch of its own.
  const [last] = await askServer<{ file: string }>(url, "select pg_walfile_name(pg_switch_wal() - 1) as file");
  const archived = `select 1 from pg_stat_archiver where last_archived_wal >= '${last?.file}'`;
  await until(async () => (await askServer(url, archived)).length === 1);
  await postgres.stop();

  // What a server's own configuration has; this one gets it from its command line.
  const settings = [`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''"];
  appendFileSync(join(backup, "postgresql.conf"), `${settings.join("\n")}\nmax_connections = 200\n`);
  const place = join(folder, "restored");
  mkdirSync(place);
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(place, serverUser.uid, serverUser.gid);
  const PGDATA = join(place, "data");
  // The stopped server's folder is where the restored one belongs.
  renameSync(data, PGDATA);
  const commands = await readCommands("apps/cli/RUNBOOK.md", "Without pgBackRest");
  const PATH = `${join(locateBinaries(), "bin")}:/usr/bin:/bin`;
  runCommands(commands, {
    env: { PATH, PGDATA, BACKUP: backup, ARCHIVE: archive, MOMENT: moment?.now ?? "", LC_ALL: "C" },
    user: serverUser,
  });
  try {
    await until(async () => (await ada.call("GET", "/user")).status === 200);
    expect((await bea.call("GET", "/user")).status).not.toBe(200);
    const users = await askServer<{ id: string }>(url, "select id from users");
    expect(users.map(({ id }) => id)).toEqual([ada.userId ?? ""]);
    expect(await askServer(url, "select pg_is_in_recovery() as standby")).toEqual([{ standby: false }]);
  } finally {
    server.kill("SIGKILL");
    await server.exited;
    runCommands(`pg_ctl -D "$PGDATA" -m fast -w stop`, { env: { PATH, PGDATA }, user: serverUser });
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
