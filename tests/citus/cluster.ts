/** Two nodes of Postgres with Citus, a coordinator and a worker, of the Postgres that `pg_config` belongs to. */
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFreePorts } from "../support/ports.ts";

/** Distributed transactions are prepared on each node. Data of a test need not survive a crash. */
const settings = `
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
max_connections = 300
max_prepared_transactions = 300
fsync = off
`;

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", cwd: "/" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${out}${err}`);
  return out.trim();
}

/** Folder of the programs of a Postgres that has Citus, or what is missing. */
export async function findCitus(): Promise<{ bin: string } | string> {
  if (Bun.which("pg_config") === null)
    return "There is no pg_config: install a Postgres and Citus, and run this again.";
  const [bin, share] = await Promise.all([run(["pg_config", "--bindir"]), run(["pg_config", "--sharedir"])]);
  if (existsSync(join(share, "extension/citus.control"))) return { bin };
  return `Citus is not installed for the Postgres in ${bin}: install it, and run this again.`;
}

/** Postgres refuses to run as root; Debian's user runs it then. */
const user = "postgres";
const isRoot = process.getuid?.() === 0;
const asUser = (command: readonly string[]) => (isRoot ? ["runuser", "-u", user, "--", ...command] : command);

export interface CitusCluster {
  /** Addresses of coordinator and worker. */
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

/** Starts both nodes in `folder`, which is removed with them. */
export async function startCitus(bin: string, folder: string): Promise<CitusCluster> {
  if (isRoot) {
    const id = Number(await run(["id", "-u", user]));
    await chown(folder, id, id);
  }
  const ports = await findFreePorts(2);
  const nodes = ports.map((port) => ({ port, data: join(folder, `node-${port}`) }));
  for (const { port, data } of nodes) {
    await run(asUser([join(bin, "initdb"), "-D", data, "-U", user, "--auth=trust", "-E", "UTF8", "--locale=C"]));
    await mkdir(data, { recursive: true });
    await writeFile(
      join(data, "postgresql.auto.conf"),
      `${settings}port = ${port}\nunix_socket_directories = '${folder}'\n`,
    );
    await run(asUser([join(bin, "pg_ctl"), "-D", data, "-l", join(folder, `${port}.log`), "-w", "start"]));
  }
  return {
    urls: ports.map((port) => `postgres://${user}@127.0.0.1:${port}/postgres`),
    stop: async () => {
      for (const { data } of nodes) await run(asUser([join(bin, "pg_ctl"), "-D", data, "-m", "immediate", "stop"]));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
