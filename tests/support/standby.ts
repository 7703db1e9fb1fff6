/** A Postgres in recovery: a stopped server's data folder, started as a standby without a primary. */
import { startChild } from "@cardkeep/local/child";
import { locateBinaries, locateData, serverUser } from "@cardkeep/local/postgresFiles";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { until } from "./poll.ts";

export interface Standby {
  /** Ends the recovery: it accepts writes from here on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the standby and resolves once it answers queries. */
export async function startStandby(input: { dataDirectory: string; port: number; url: string }): Promise<Standby> {
  const dataDirectory = locateData(input.dataDirectory);
  const signal = join(dataDirectory, "standby.signal");
  writeFileSync(signal, "");
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(signal, serverUser.uid, serverUser.gid);
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
  const child = startChild({
    command: join(locateBinaries(), "bin/postgres"),
    args: ["-D", dataDirectory, ...[`port=${input.port}`, ...settings].flatMap((setting) => ["-c", setting])],
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    cwd: "/",
    leash: { kind: "signal", signal: "SIGINT" },
    ...serverUser,
  });
  const ask = async (question: string): Promise<unknown> => {
    const sql = postgres(input.url, { max: 1, onnotice: () => {} });
    try {
      return await sql.unsafe(question);
    } finally {
      await sql.end();
    }
  };
  await until(() =>
    ask("select 1").then(
      () => true,
      () => false,
    ),
  );
  return {
    promote: async () => void (await ask("select pg_promote(true, 30)")),
    stop: () => child.stop("SIGINT", "SIGQUIT", 5_000),
  };
}
