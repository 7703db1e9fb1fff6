/** A whole service for one test file: its own database, chain, sandbox, server and optionally worker. */
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { seed } from "@cardkeep/sandbox/seed";
import { serveSandbox } from "@cardkeep/sandbox/serveSandbox";
import { type Db, openDatabase } from "@cardkeep/db/client";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import type { Chain } from "@cardkeep/local/chain";
import { createServer } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { startTestChain } from "./chain.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { findFreePorts } from "./ports.ts";
import { readTestSigners } from "./signers.ts";
import { workerConnections } from "./workerSettings.ts";

/** A service that another file starts and stops. */
export interface RunningService {
  /** The environment for further processes of this service. */
  readonly env: Record<string, string>;
  readonly url: string;
  readonly sandboxUrl: string;
  readonly rpcUrl: string;
  readonly runtime: SandboxRuntime;
  /** The database as its owner. Servers, workers and `runtime` have the lesser role of production: see `serviceRole.ts`. */
  readonly ownerDb: Db;
  readonly ownerUrl: string;
}

export interface Service extends RunningService {
  /** Starts the server again after `stopServer`. */
  startServer(): void;
  /** Stops the server alone: nobody answers at its port. */
  stopServer(): Promise<void>;
  stop(): Promise<void>;
}

/** All people in a test share one address; other tests cover the limits. */
export const generous = {
  READS_PER_MINUTE: "1000000",
  WRITES_PER_MINUTE: "1000000",
  RULE_CHANGES_PER_MINUTE: "1000000",
  KYC_REQUESTS_PER_MINUTE: "1000000",
  OPEN_REQUESTS_PER_MINUTE: "1000000",
  CODE_REQUESTS_PER_MINUTE: "1000000",
  CARDS_PER_DAY: "1000000",
};

/** A busy machine makes no decline and no 503. The standard limits have tests of their own. */
const patient = { DECISION_MS: "8000", RPC_TIMEOUT_MS: "5000" };

/** The limits of a decision, and of a node's answer, in production. */
export const standardLimits = { DECISION_MS: "450", RPC_TIMEOUT_MS: "800" };

/**
 * Starts a service; with `worker: false` the test starts its own workers. With `faults: true` it reaches the node through
 * the sandbox, as in `bun start`, so that the faults of the node hit it. With `ownStore: true` the partners do not go back
 * with the service's database.
 */
export async function startService(
  options: {
    worker?: boolean;
    faults?: boolean;
    ownStore?: boolean;
    env?: Record<string, string>;
    /** A filled database and its chain, in place of new ones. */
    filled?: { database: TestDatabase; chain: Chain };
  } = {},
): Promise<Service> {
  const [database, store, chain, [port = 0, sandboxPort = 0]] = await Promise.all([
    options.filled?.database ?? createTestDatabase(),
    options.ownStore === true ? createTestDatabase() : null,
    options.filled?.chain ?? startTestChain(),
    findFreePorts(2),
  ]);
  const env = {
    DATABASE_URL: database.serviceUrl,
    ...(store !== null && { SANDBOX_DATABASE_URL: store.url }),
    RPC_URL: chain.rpcUrl,
    ENS_RPC_URL: chain.rpcUrl,
    CARDKEEP_LOCAL_CHAIN: "1",
    CONTRACT_CODE: chain.contractCode,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
    ...generous,
    ...patient,
    ...readTestSigners(`http://127.0.0.1:${sandboxPort}`, options.env ?? {}),
    ...options.env,
  };
  const owner = openDatabase({
    url: database.url,
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    applicationName: "owner",
  });
  const settings = readSettings(env);
  const runtime = openStore(await createRuntime(settings, "server"));
  const nodeUrl = `http://127.0.0.1:${sandboxPort}/node`;
  const ofService = options.faults === true ? { ...settings, rpcUrl: nodeUrl, ensRpcUrl: nodeUrl } : settings;
  const serverRuntime = options.faults === true ? await createRuntime(ofService, "server") : runtime;
  const listen = () => {
    const listening = createServer(serverRuntime);
    listening.listen(port);
    return listening;
  };
  let server = listen();
  const sandbox = serveSandbox(runtime);
  await seed(runtime);
  const { databaseConnections } = settings;
  const workerRuntime = await createRuntime(
    { ...ofService, databaseConnections: databaseConnections ?? workerConnections },
    "worker",
  );
  const worker: Worker | null = options.worker === false ? null : await startWorker(workerRuntime);
  return {
    env,
    url: `http://127.0.0.1:${port}`,
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    rpcUrl: chain.rpcUrl,
    runtime,
    ownerDb: owner.db,
    ownerUrl: database.url,
    startServer: () => {
      server = listen();
    },
    stopServer: async () => {
      await server.stop();
    },
    stop: async () => {
      await worker?.stop();
      await server.stop();
      await sandbox.stop(true);
      await Promise.all([...new Set([runtime, serverRuntime, workerRuntime, owner])].map((each) => each.close()));
      await Promise.all([database.drop(), store?.drop(), chain.stop()]);
    },
  };
}
