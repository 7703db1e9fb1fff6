/** Starts all parts in order, watches them, and stops them in reverse order. */
import { ForeignDatabaseError, migrate } from "@cardkeep/db/migrate";
import { announceLocal, localServiceUrl } from "@cardkeep/runtime/local";
import { loadSettings } from "@cardkeep/runtime/settings";
import { join } from "node:path";
import { lockData } from "./dataLock.ts";
import type { LocalOptions } from "./localOptions.ts";
import { requireDistinctPorts } from "./ports.ts";
import { type Addresses, buildReadyText } from "./readyText.ts";
import { takesJobs, untilAnswers } from "./untilAnswers.ts";
import {
  bringUpChain,
  bringUpPostgres,
  bringUpSandbox,
  bringUpService,
  printReady,
  requirePorts,
  type Running,
} from "./bringUpParts.ts";

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
  const served = { PORT: settings.port, SANDBOX_PORT: settings.sandboxPort, ELEMENTS_PORT: settings.elementsPort };
  requireDistinctPorts({
    ...served,
    ...(settings.rpcUrl === undefined && { CHAIN_PORT: settings.chainPort }),
    ...(settings.databaseUrl === undefined && { POSTGRES_PORT: settings.postgresPort }),
  });
  const unlockData = lockData(settings.home);
  running.stops.push(async () => unlockData());
  await requirePorts(served);
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
