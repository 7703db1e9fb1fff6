/** A Postgres of one node, from Debian's packages. */
import { type Child, startChild } from "@cardkeep/local/child";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/poll.ts";
import { askServer } from "../support/standby.ts";
import type { Programs } from "./programs.ts";

/** Makes a folder that belongs to the user of the programs. */
export function makeFolder({ user }: Programs, path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

/** Starts a server and resolves once it answers. Its sockets and its log are in `folder`. */
export async function startServer(
  programs: Programs,
  input: { data: string; port: number; folder: string; settings: readonly string[]; env: Record<string, string> },
): Promise<Child> {
  const { data, port, folder } = input;
  const sockets = join(folder, "spool");
  makeFolder(programs, sockets);
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${sockets}`];
  const server = startChild({
    command: join(programs.postgres, "postgres"),
    args: ["-D", data, ...[...settings, ...input.settings].flatMap((setting) => ["-c", setting])],
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", ...input.env },
    cwd: "/",
    logFile: join(folder, `postgres-${port}.log`),
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
