/** Citus, where its extension is installed beside this Postgres: tables distributed by user. */
import { migrate } from "@cardkeep/db/migrate";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/cli.ts";
import { runCommands } from "../support/pageCommands.ts";
import { findFreePorts } from "../support/ports.ts";
import { askServer } from "../support/standby.ts";
import type { Programs } from "./programs.ts";
import { makeFolder, startServer } from "./server.ts";

/** Distributes a database of one node, as `cardkeep database distribute` does; answers what it printed. */
export async function playCitus(
  programs: Programs,
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<string> {
  if (!existsSync(join(programs.postgres, "../lib/citus.so"))) return "Citus: its extension is not on this machine";
  const [port = 0] = await findFreePorts(1);
  const data = join(folder, "citus-data");
  makeFolder(programs, data);
  const init = { PATH: `${programs.postgres}:/usr/bin:/bin`, LC_ALL: "C", PGDATA: data };
  runCommands("initdb -U postgres --auth=trust", { env: init, user: programs.user });
  const settings = ["shared_preload_libraries=citus"];
  const server = await startServer(programs, { data, port, folder, settings, env: {} });
  try {
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await askServer(url, "create extension citus");
    await askServer(url, `select citus_set_coordinator_host('127.0.0.1', ${port})`);
    // A coordinator without further nodes keeps the shards itself.
    await askServer(url, `select citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', true)`);
    await migrate(url);
    const { code, out, err } = await runCli({ ...env, DATABASE_URL: url }, "database", "distribute");
    const tables = await askServer(url, "select 1 from citus_tables where citus_table_type = 'distributed'");
    return `Citus: distribute ended with code ${code}, ${tables.length} tables are distributed. ${(out + err).trim().split("\n").at(-1)}`;
  } finally {
    await server.stop("SIGINT", "SIGQUIT", 20_000);
  }
}
