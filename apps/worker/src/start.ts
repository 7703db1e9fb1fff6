/** The start of a worker, which waits for its database and for the migrations. */
import { UnusableAddressError } from "@cardkeep/db/proveAddresses";
import { checkMigrations } from "@cardkeep/domain/operations/health/checkHealth";
import { proveSettings } from "@cardkeep/runtime/addresses";
import type { Runtime } from "@cardkeep/runtime/compose";
import { listPauses, wait } from "@cardkeep/runtime/wait";
import { SettingsError } from "@cardkeep/runtime/settings";
import { startPauses } from "./queueRuns.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface Start {
  /** Resolves once the worker takes jobs; null if the process stops before. @throws SettingsError, UnusableAddressError */
  run(stopping: AbortSignal): Promise<Worker | null>;
  /** Why the worker takes no jobs; null if it takes some. */
  describeWait(): string | null;
  /** Which remote signers fail; null if none does. */
  describeSigners(): Promise<string | null>;
  /** Publishes the public keys of a worker that runs; another does so at its start. */
  publishKeys(): Promise<void>;
}

/** Starts a worker as often as needed. Each new reason of a failure is logged once. */
export function createStart(runtime: Runtime): Start {
  let reason = "The worker starts";
  let worker: Worker | null = null;
  const attempt = async (): Promise<void> => {
    await proveSettings(runtime.settings);
    const migrations = await checkMigrations(runtime.services);
    if (migrations.status === "down") throw new NotMigrated(migrations.reason);
    worker = await startWorker(runtime);
  };
  const note = (error: unknown): void => {
    if (error instanceof SettingsError || error instanceof UnusableAddressError) throw error;
    const isKnown = error instanceof NotMigrated;
    const next = isKnown ? error.message : "The database does not answer or refuses writes";
    if (next !== reason) runtime.log.warn(isKnown ? {} : { err: error }, `${next}. The worker waits`);
    else runtime.log.debug({ err: error }, "the worker still waits");
    reason = next;
  };
  return {
    run: async (stopping) => {
      for (const pauseMs of listPauses(startPauses)) {
        await attempt().catch(note);
        if (worker !== null || !(await wait(pauseMs, stopping))) break;
      }
      return worker;
    },
    publishKeys: async () => worker?.publishKeys(),
    describeWait: () => {
      if (worker === null) return reason;
      return worker.isTakingJobs() ? null : "The database connection was lost";
    },
    describeSigners: async () => (await worker?.describeSigners()) ?? null,
  };
}

/** The database is not at the version of this program. */
class NotMigrated extends Error {}
