/** The PgBouncer on the PATH, if there is one. */
import { startChild } from "@cardkeep/local/child";
import { serverUser } from "@cardkeep/local/postgresFiles";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./poll.ts";
import { findFreePorts } from "./ports.ts";
import { askServer } from "./standby.ts";

const program = Bun.which("pgbouncer", { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` });

/** Its version as 1.18 and 1.21 compare, 118 and 121; null without it. */
export function readPgbouncerVersion(): number | null {
  if (program === null) return null;
  const [, major = "0", minor = "0"] =
    /PgBouncer (\d+)\.(\d+)/.exec(Bun.spawnSync([program, "--version"]).stdout.toString()) ?? [];
  return Number(major) * 100 + Number(minor);
}

export interface Pooler {
  /** The address of the database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a pooler before a database. With `prepared` it tracks prepared statements, which 1.21 can. */
export async function startPgbouncer(
  databaseUrl: string,
  { mode, prepared }: { mode: "transaction" | "session"; prepared: boolean },
): Promise<Pooler> {
  if (program === null) throw new Error("pgbouncer is not on the PATH");
  const [port = 0] = await findFreePorts(1);
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-pgbouncer-"));
  const target = new URL(databaseUrl);
  const name = target.pathname.slice(1);
  const file = join(folder, "pgbouncer.ini");
  const settings = [
    "[databases]",
    `${name} = host=${target.hostname} port=${target.port} user=${target.username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    ...(prepared ? ["max_prepared_statements = 100"] : []),
  ];
  await writeFile(file, `${settings.join("\n")}\n`);
  // It refuses to run as root.
  await chmod(folder, 0o755);
  const child = startChild({
    command: program,
    args: [file],
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    leash: { kind: "signal", signal: "SIGTERM" },
    ...serverUser,
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  await until(() =>
    askServer(url.href, "select 1").then(
      () => true,
      () => false,
    ),
  );
  return {
    url: url.href,
    stop: async () => {
      await child.stop("SIGTERM", "SIGKILL", 2_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
