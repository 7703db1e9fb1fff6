/** The worker: sessions that run the queue's jobs, and chores. */
import { insertChores } from "@cardkeep/db/queries/chores";
import { publishCardKey } from "@cardkeep/domain/cards/openEnvelope";
import { chores as catalogue } from "@cardkeep/domain/housekeeping/chores";
import type { Runtime } from "@cardkeep/runtime/compose";
import { checkSigners } from "@cardkeep/runtime/signers";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { randomBytes } from "node:crypto";
import { type Chores, startChores } from "./chores.ts";
import { startSessions } from "./session.ts";

export interface Worker {
  /** False while the database connection is lost. */
  isTakingJobs(): boolean;
  /** Takes no more jobs, lets the jobs in flight finish, and leaves no lock behind. */
  stop(): Promise<void>;
}

/**
 * Starts a worker. Resolves once it takes jobs.
 * @throws Error if the database is away or refuses writes
 */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const { settings } = runtime;
  const keys = createWorkerKeys(settings, runtime.metrics.reportSigner);
  void checkSigners(runtime.log, keys);
  await publishCardKey(runtime.services, keys.cardKey);
  await insertChores(runtime.db, Object.keys(catalogue));
  let chores: Chores | null = null;
  const sessions = await startSessions({
    runtime,
    sessionUrl: settings.databaseSessionUrl ?? "",
    keys,
    workerId: randomBytes(4).toString("hex"),
    onEvents: () => chores?.wake("fanOut"),
  });
  const started = startChores(runtime);
  chores = started;
  return {
    isTakingJobs: sessions.isRunning,
    stop: async () => {
      await Promise.all([sessions.stop(), started.stop()]);
    },
  };
}
