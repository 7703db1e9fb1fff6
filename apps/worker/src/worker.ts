/** The worker: runs that run the queue's jobs, and chores. */
import { insertChores } from "@cardkeep/db/queries/operations/chores";
import { publishCardKey } from "@cardkeep/domain/cards/cards/openEnvelope";
import { watchedNames } from "@cardkeep/domain/operations/housekeeping/chores";
import { describeOwnSigners } from "@cardkeep/domain/chain/signers/describeSigners";
import { createContext } from "@cardkeep/domain/core/context";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import type { Runtime } from "@cardkeep/runtime/compose";
import { startKeyRecords } from "@cardkeep/runtime/recordKeys";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { randomBytes } from "node:crypto";
import { type Chores, startChores } from "./chores.ts";
import { startQueueRuns } from "./queueRuns.ts";

export interface Worker {
  /** False while the database connection is lost. */
  isTakingJobs(): boolean;
  /** Which remote signers fail for this worker, as text; null if none does. */
  describeSigners(): Promise<string | null>;
  /** Publishes the public key of a changed CARD_ENCRYPTION_KEY. */
  publishKeys(): Promise<void>;
  /** Takes no further jobs, lets the jobs in flight finish, and leaves no lock behind. */
  stop(): Promise<void>;
}

/**
 * Starts a worker. Resolves once it takes jobs.
 * @throws Error if the database is away or refuses writes
 */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const { settings } = runtime;
  const keys = createWorkerKeys(settings, runtime.metrics.reportSigner);
  await publishCardKey(runtime.services, keys.cardKeys);
  await insertChores(runtime.db, watchedNames);
  // Before any job: a database that went back is to be known before its rows are trusted.
  const detectRestore = createRestoreDetector();
  await detectRestore(createContext(runtime.services, { log: runtime.log, requestId: "detectRestore" }));
  const workerId = randomBytes(4).toString("hex");
  let chores: Chores | null = null;
  const runs = await startQueueRuns({
    runtime,
    sessionUrl: settings.databaseSessionUrl ?? "",
    keys,
    workerId,
    onEvents: () => chores?.wake("fanOut"),
  });
  const keyRecords = startKeyRecords(runtime);
  const started = startChores(runtime, { workerId, detectRestore, ...keys });
  chores = started;
  return {
    isTakingJobs: runs.isRunning,
    describeSigners: async () =>
      describeOwnSigners(
        keys.signerWatches.map((watch) => watch.read()),
        // The text is wanted without the database, too.
        await runtime.clock.getOffsetSeconds(runtime.db).catch(() => 0),
      ),
    publishKeys: () => publishCardKey(runtime.services, runtime.settings.cardEncryptionKeys),
    stop: async () => {
      await Promise.all([runs.stop(), started.stop(), keyRecords.stop()]);
    },
  };
}
