/** `bun start` with data of its own, which is deleted at the end. */
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../../support/ends.ts";
import { findFreePorts } from "../../support/ports.ts";
import { spawnProcess } from "../../support/process.ts";

export interface Program {
  /** Of the process that starts all others. */
  readonly pid: number;
  readonly home: string;
  readonly url: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
}

/** A new folder for data; it is made by who uses it. */
export const nameHome = (): string => join(tmpdir(), `cardkeep-bench-${randomUUID()}`);

/** Runs a script of Bun with its data in `home`, on ports of its own. */
export async function spawnProgram(script: string, home: string, env: Record<string, string> = {}) {
  const [port, sandboxPort, chainPort, postgresPort, elementsPort] = await findFreePorts(5);
  const child = spawnProcess([process.execPath, script], {
    HOME: process.env["HOME"] ?? "",
    CARDKEEP_HOME: home,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    ELEMENTS_PORT: String(elementsPort),
    CHAIN_PORT: String(chainPort),
    POSTGRES_PORT: String(postgresPort),
    ...env,
  });
  return { child, port, sandboxPort, postgresPort };
}

/** Starts it and waits until it is ready. */
export async function startProgram(env: Record<string, string>): Promise<Program> {
  const home = nameHome();
  await mkdir(home, { recursive: true, mode: 0o711 });
  const { child, port, sandboxPort, postgresPort } = await spawnProgram("apps/local/src/main.ts", home, env);
  atEnd(async () => {
    child.kill("SIGTERM");
    await child.exited;
    await rm(home, { recursive: true, force: true });
  });
  await child.ready("Cardkeep is ready");
  return {
    pid: child.pid,
    home,
    url: `http://localhost:${port}`,
    sandboxUrl: `http://localhost:${sandboxPort}`,
    databaseUrl: `postgres://cardkeep@127.0.0.1:${postgresPort}/cardkeep`,
  };
}
