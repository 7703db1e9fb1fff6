/** Starts each part of the program on its own, with what it needs of the others. */
import { openDatabase } from "@cardkeep/db/client";
import { getClockOffsetSeconds } from "@cardkeep/db/queries/core/clock";
import { buildChildEnvironment, listPublicParts } from "@cardkeep/runtime/childEnvironment";
import { answerRestarts, type RestartablePart } from "@cardkeep/runtime/partRestart";
import type { Settings } from "@cardkeep/runtime/settings";
import type { Colors } from "@cardkeep/terminal/colors";
import type { Progress } from "@cardkeep/terminal/progress";
import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import { type Chain, startChain } from "./chain.ts";
import { copyTemplate } from "./databaseTemplate.ts";
import { type Part, startPart } from "./part.ts";
import { isPortFree } from "./ports.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type WatchedPart, watchPart } from "./watchPart.ts";

const partWidth = 10;

/** The running parts. */
export interface Running {
  settings: Settings;
  /** Files that all starts of this version share. */
  cacheDirectory: string;
  /** Whether the data is deleted at the end, so that it need not survive a crash of the machine. */
  isEphemeral: boolean;
  /** Whether the apps start again when a file of theirs changes. */
  isWatching: boolean;
  progress: Progress;
  colors: Colors;
  /** Stopped in reverse order. */
  stops: (() => Promise<void>)[];
  /** The parts that a fault of the sandbox restarts. A Postgres in DATABASE_URL is not among them. */
  restarts: Partial<Record<RestartablePart, () => Promise<void>>>;
  /** Aborted when a stop is requested or a part has ended by itself; all waits end then. */
  ending: AbortSignal;
  fail(message: string): void;
}

/** Prints that a part is ready. */
export function printReady({ progress, colors }: Running, name: string, text: string): void {
  progress.end();
  progress.print(`${colors.ok("✓")} ${name.padEnd(partWidth)}${text}`);
}

export async function requirePorts(needed: Record<string, number>): Promise<void> {
  for (const [name, port] of Object.entries(needed)) {
    if (!(await isPortFree(port))) throw new Error(`Port ${port} is in use. Stop the other program or set ${name}.`);
  }
}

export async function bringUpPostgres(running: Running): Promise<string> {
  const { settings, progress } = running;
  const logFile = join(settings.home, "logs/postgres.log");
  progress.begin("postgres: opens its data; the first start makes it");
  const dataDirectory = join(settings.home, "postgres");
  if (running.isEphemeral) await copyTemplate(running.cacheDirectory, dataDirectory);
  const start = (): Promise<Postgres> =>
    startPostgres({
      dataDirectory,
      port: settings.postgresPort,
      fsync: !running.isEphemeral,
      sharedBuffers: "32MB",
      logFile,
    });
  const { part: postgres, ...watched } = await watchPart({ name: "postgres", logFile, start, fail: running.fail });
  running.stops.push(watched.stop);
  running.restarts.postgres = () => watched.restart((part) => part.stop());
  printReady(running, "postgres", postgres.url);
  return postgres.url;
}

export async function bringUpChain(running: Running, databaseUrl: string): Promise<Chain> {
  const { settings, progress } = running;
  const logFile = join(settings.home, "logs/chain.log");
  progress.begin("chain: starts the node");
  const clockOffsetSeconds = await readClockOffset(databaseUrl);
  const start = (): Promise<Chain> =>
    startChain({
      cacheDirectory: running.cacheDirectory,
      stateFile: join(settings.home, "chain.json"),
      port: settings.chainPort,
      chainId: settings.policy.chainId,
      cooldownSeconds: settings.policy.cooldownSeconds,
      clockOffsetSeconds,
      logFile,
      progress,
    });
  const { part: chain, stop } = await watchPart({ name: "chain", logFile, start, fail: running.fail });
  running.stops.push(stop);
  printReady(running, "chain", chain.rpcUrl);
  return chain;
}

/** Starts an app and watches it. */
function bringUpApp(
  { settings, isWatching, fail }: Running,
  name: string,
  app: { env: NodeJS.ProcessEnv; stopMs?: number; openChannel?: (child: ChildProcess) => void },
): Promise<WatchedPart<Part>> {
  // The published program has the apps as bundles, in the same folders.
  const main = join(import.meta.dir, "../../../apps", name, `src/main${extname(import.meta.path)}`);
  const logFile = join(settings.home, "logs", `${name}.log`);
  const start = () => startPart({ main, logFile, isWatching, ...app });
  return watchPart({ name, logFile, start, fail });
}

/** It stops after the service, so no work is in flight then. */
const sandboxStopMs = 2_000;

/** Starts the sandbox, which plays every partner and holds what they hold. Its faults may restart other parts. */
export async function bringUpSandbox(running: Running, env: NodeJS.ProcessEnv): Promise<void> {
  const openChannel = (child: ChildProcess) => answerRestarts(child, (part) => restartPart(running, part));
  running.stops.push((await bringUpApp(running, "sandbox", { env, openChannel, stopMs: sandboxStopMs })).stop);
}

/** Returns null once the part was started again, or the reason why not. */
async function restartPart({ restarts }: Running, part: RestartablePart): Promise<string | null> {
  const restart = restarts[part];
  if (restart === undefined) return `The ${part} is not a part of this program`;
  return restart().then(
    () => null,
    () => `The ${part} was not started again; the program ends`,
  );
}

/** Starts server and worker in parallel, each with its own secrets. They stop in parallel too. */
export async function bringUpService(running: Running, env: NodeJS.ProcessEnv): Promise<void> {
  const ofServer = { ...buildChildEnvironment(env, "server"), ...listPublicParts(running.settings) };
  const [server, worker] = await Promise.all([
    bringUpApp(running, "server", { env: ofServer }),
    bringUpApp(running, "worker", { env: buildChildEnvironment(env, "worker") }),
  ]);
  running.restarts.worker = () => worker.restart((part) => part.kill());
  running.stops.push(async () => {
    await Promise.all([server.stop(), worker.stop()]);
  });
}

async function readClockOffset(databaseUrl: string): Promise<number> {
  const limits = { connectionsMax: 1, statementTimeoutMs: 5_000 };
  const database = openDatabase({ url: databaseUrl, ...limits, applicationName: "cardkeep-local" });
  try {
    return await getClockOffsetSeconds(database.db);
  } finally {
    await database.close();
  }
}
