/**
 * Where the sandbox keeps what the partners know.
 *
 * - store: the database of the sandbox's own tables. Partners do not go back when the service's database is restored, so
 *   it may be another database than the service's.
 */
import { type Db, openDatabase } from "@cardkeep/db/client";
import type { Runtime } from "@cardkeep/runtime/compose";

/** The parts of a sandbox. `db` is the service's database, which the sandbox reads as its operator would. */
export interface SandboxRuntime extends Runtime {
  readonly store: Db;
}

const connectionsMax = 4;
const statementTimeoutMs = 10_000;

/** Opens the store of `SANDBOX_DATABASE_URL`; without one it is the service's database. `close` closes both. */
export function openStore(runtime: Runtime): SandboxRuntime {
  const { sandboxDatabaseUrl: url } = runtime.settings;
  if (url === undefined) return { ...runtime, store: runtime.db };
  const store = openDatabase({ url, connectionsMax, statementTimeoutMs, applicationName: "cardkeep-sandbox-store" });
  const close = async () => {
    await Promise.all([runtime.close(), store.close()]);
  };
  return { ...runtime, store: store.db, close };
}
