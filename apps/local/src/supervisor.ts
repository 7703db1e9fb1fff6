/** Starts all parts in order, watches them, and stops them in reverse order. */
import { ForeignDatabaseError, migrate } from "@cardkeep/db/migrate";
import { openDatabase } from "@cardkeep/db/client";
import { getClockOffsetSeconds } from "@cardkeep/db/queries/core/clock";
import { buildChildEnvironment, listPublicParts } from "@cardkeep/runtime/childEnvironment";
import { announceLocal, localServiceUrl } from "@cardkeep/runtime/local";
import { answerRestarts, type RestartablePart } from "@cardkeep/runtime/partRestart";
import { loadSettings, type Settings } from "@cardkeep/runtime/settings";
import type { Colors } from "@cardkeep/terminal/colors";
import type { Progress } from "@cardkeep/terminal/progress";
import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import { type Chain, startChain } from "./chain.ts";
import { copyTemplate } from "./databaseTemplate.ts";
import { lockData } from "./dataLock.ts";
import type { LocalOptions } from "./localOptions.ts";
import { type Part, startPart } from "./part.ts";
import { isPortFree } from "./ports.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type Addresses, buildReadyText } from "./readyText.ts";
import { takesJobs, untilAnswers } from "./untilAnswers.ts";
import { type WatchedPart, watchPart } from "./watchPart.ts";

const partWidth = 10;

/** The running parts. */
interface Running {
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

export interface Everything {
  /** Null if a stop was requested before all parts were ready. */
  readonly addresses: Addresses | null;
  /** Resolves with name and reason when a part has ended by itself. */
  readonly failed: Promise<string>;
  /** Stops every part within 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts the program and reports each part. A stop requested meanwhile ends the start.
 * @throws Error in one line, after stopping all started parts
 */
export async function startEverything(
  { progress, colors }: Pick<Running, "progress" | "colors">,
  stopping: Promise<void>,
  { isEphemeral, isWatching, cacheDirectory }: Pick<LocalOptions, "isEphemeral" | "isWatching" | "cacheDirectory">,
): Promise<Everything> {
  const settings = loadSettings();
  if (settings.production)
    throw new Error("`bun start` is for one machine. In production run `bun run server` and `bun run worker`.");
  const { promise: failed, resolve } = Promise.withResolvers<string>();
  const ending = new AbortController();
  const fail = (message: string) => {
    resolve(message);
    ending.abort(new Error(message));
  };
  const running: Running = {
    settings,
    cacheDirectory: cacheDirectory ?? join(settings.home, "cache"),
    isEphemeral,
    isWatching,
    progress,
    colors,
    stops: [],
    restarts: {},
    ending: ending.signal,
    fail,
  };
  const stop = async (): Promise<void> => {
    for (let next = running.stops.pop(); next; next = running.stops.pop()) await next();
  };
  let addresses: Addresses | null = null;
  let isStopRequested = false;
  void stopping.then(() => {
    isStopRequested = true;
    ending.abort();
  });
  try {
    addresses = await bringUp(running);
  } catch (error) {
    await stop();
    if (!isStopRequested) throw error;
  }
  return { addresses, failed, stop };
}

async function bringUp(running: Running): Promise<Addresses> {
  const { settings, progress } = running;
  const unlockData = lockData(settings.home);
  running.stops.push(async () => unlockData());
  await requirePorts({ PORT: settings.port, SANDBOX_PORT: settings.sandboxPort, ELEMENTS_PORT: settings.elementsPort });
  const databaseUrl = settings.databaseUrl ?? (await bringUpPostgres(running));
  running.ending.throwIfAborted();
  progress.begin("database: brings the tables to this version");
  const hasServiceRole = await migrate(settings.databaseSessionUrl ?? databaseUrl).catch((error: unknown) => {
    if (settings.databaseUrl !== undefined || !(error instanceof ForeignDatabaseError)) throw error;
    throw new Error(`${settings.home} is from an older version. Delete it or start with an empty CARDKEEP_HOME.`);
  });
  printReady(running, "database", "at this version");
  const chain = settings.rpcUrl === undefined ? await bringUpChain(running, databaseUrl) : null;
  const rpcUrl = chain?.rpcUrl ?? settings.rpcUrl;
  running.ending.throwIfAborted();
  const runFile = announceLocal(settings, chain);
  running.stops.push(async () => runFile.withdraw());
  const env = {
    ...process.env,
    // No proxy is in front of a part, and all parts stop within 10 s.
    DRAIN_SECONDS: "0",
    // A developer's machine has other work too.
    DECISION_MS: process.env["DECISION_MS"] || "2000",
    // The operator's own addresses are inherited, as values or as files.
    ...(settings.databaseUrl === undefined && { DATABASE_URL: databaseUrl }),
    ...(chain === null
      ? { CARDKEEP_LOCAL_CHAIN: undefined }
      : {
          CARDKEEP_LOCAL_CHAIN: "1",
          RPC_URL: chain.rpcUrl,
          CONTRACT_CODE: chain.contractCode,
          // The local chain holds ENS too.
          ...(settings.ensRpcUrl === null && { ENS_RPC_URL: chain.rpcUrl }),
        }),
  };
  const server = `http://localhost:${settings.port}`;
  const sandbox = `http://localhost:${settings.sandboxPort}`;
  progress.begin("sandbox: starts");
  await bringUpSandbox(running, env);
  await untilAnswers(running, `${sandbox}/mailbox`);
  printReady(running, "sandbox", sandbox);
  progress.begin("server and worker: start");
  // The service reaches the local chain through the sandbox, which plays a faulty node on request.
  const nodeUrl = `http://127.0.0.1:${settings.sandboxPort}/node`;
  await bringUpService(running, {
    ...env,
    ...(settings.databaseUrl === undefined &&
      hasServiceRole && { DATABASE_URL: localServiceUrl(settings.postgresPort) }),
    ...(settings.serviceDatabaseUrl !== undefined && { DATABASE_URL: settings.serviceDatabaseUrl }),
    ...(chain !== null && { RPC_URL: nodeUrl }),
    ...(chain !== null && settings.ensRpcUrl === null && { ENS_RPC_URL: nodeUrl }),
  });
  await untilAnswers(running, `${server}/readyz`);
  printReady(running, "server", server);
  progress.begin("worker: takes its first jobs");
  await untilAnswers(running, `${server}/readyz`, takesJobs);
  printReady(running, "worker", "takes jobs");
  const [operatorKey = null] = settings.operatorApiKeys;
  const addresses = { api: server, sandbox, chain: rpcUrl ?? "", database: databaseUrl, operatorKey };
  for (const line of buildReadyText(settings, addresses, running.colors)) progress.print(line);
  return addresses;
}

/** Prints that a part is ready. */
function printReady({ progress, colors }: Running, name: string, text: string): void {
  progress.end();
  progress.print(`${colors.ok("✓")} ${name.padEnd(partWidth)}${text}`);
}

async function requirePorts(needed: Record<string, number>): Promise<void> {
  for (const [name, port] of Object.entries(needed)) {
    if (!(await isPortFree(port))) throw new Error(`Port ${port} is in use. Stop the other program or set ${name}.`);
  }
}

async function bringUpPostgres(running: Running): Promise<string> {
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

async function bringUpChain(running: Running, databaseUrl: string): Promise<Chain> {
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
  app: { env: NodeJS.ProcessEnv; openChannel?: (child: ChildProcess) => void },
): Promise<WatchedPart<Part>> {
  // The published program has the apps as bundles, in the same folders.
  const main = join(import.meta.dir, "../../../apps", name, `src/main${extname(import.meta.path)}`);
  const logFile = join(settings.home, "logs", `${name}.log`);
  const start = () => startPart({ main, logFile, isWatching, ...app });
  return watchPart({ name, logFile, start, fail });
}

/** Starts the sandbox, which plays every partner and holds what they hold. Its faults may restart other parts. */
async function bringUpSandbox(running: Running, env: NodeJS.ProcessEnv): Promise<void> {
  const openChannel = (child: ChildProcess) => answerRestarts(child, (part) => restartPart(running, part));
  running.stops.push((await bringUpApp(running, "sandbox", { env, openChannel })).stop);
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
async function bringUpService(running: Running, env: NodeJS.ProcessEnv): Promise<void> {
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
