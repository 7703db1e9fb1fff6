/** The product beside a cluster: chain, sandbox with a store of its own, servers and workers as processes. */
import { migrate } from "@cardkeep/db/migrate";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { seed } from "@cardkeep/sandbox/seed";
import { serveSandbox } from "@cardkeep/sandbox/serveSandbox";
import { startTestChain } from "../support/chain.ts";
import { createTestDatabase } from "../support/database.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { generous } from "../support/service.ts";
import { productionWorker } from "../support/workerSettings.ts";

export interface Product {
  readonly env: Record<string, string>;
  /** One address per server. */
  readonly urls: readonly string[];
  readonly sandboxUrl: string;
  readonly processes: readonly AppProcess[];
  /** Looks at the same database, store and chain. */
  readonly witness: SandboxRuntime;
  stop(): Promise<void>;
}

/** Two of each, so that one may always be in trouble. */
const serverCount = 2;
export const workerCount = 2;

export async function startProduct(databaseUrl: string): Promise<Product> {
  await migrate(databaseUrl);
  const [store, chain, [sandboxPort = 0, ...ports]] = await Promise.all([
    createTestDatabase(),
    startTestChain(),
    findFreePorts(1 + serverCount),
  ]);
  const env = {
    DATABASE_URL: databaseUrl,
    SANDBOX_DATABASE_URL: store.url,
    RPC_URL: chain.rpcUrl,
    CARDKEEP_LOCAL_CHAIN: "1",
    CONTRACT_CODE: chain.contractCode,
    SANDBOX_PORT: String(sandboxPort),
    PORT: String(ports[0] ?? 0),
    RELAYED_OPERATIONS_PER_HOUR: "10000",
    LOG_LEVEL: "silent",
    ...generous,
  };
  const witness = openStore(await createRuntime(readSettings(env), "sandbox"));
  const sandbox = serveSandbox(witness);
  await seed(witness);
  const servers = await Promise.all(ports.map((port) => spawnApp("server", { ...env, PORT: String(port) })));
  const workers = await Promise.all(
    Array.from({ length: workerCount }, () => spawnApp("worker", { ...env, ...productionWorker })),
  );
  await Promise.all([
    ...servers.map((server) => server.ready("listening")),
    ...workers.map((worker) => worker.ready("taking jobs")),
  ]);
  return {
    env,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    processes: [...servers, ...workers],
    witness,
    stop: async () => {
      for (const one of [...servers, ...workers]) {
        one.kill("SIGKILL");
        await one.exited;
      }
      await sandbox.stop(true);
      await witness.close();
      await chain.stop();
      await store.drop();
    },
  };
}
