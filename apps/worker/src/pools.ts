/** A worker's pools, which share their connections and one heartbeat. */
import {
  type Announcement,
  announcePools,
  nameQueue,
  poolSlots,
  queueConnectionsMax,
  releasePool,
} from "@cardkeep/db/queue/liveness";
import type { PoolName } from "@cardkeep/db/queue/catalogue";
import { createQueuePool } from "@cardkeep/db/queue/pool";
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import type { TaskList } from "graphile-worker";
import { type Pool, startPool } from "./pool.ts";
import { waitAtMost } from "./waitAtMost.ts";

/** Runs until it is stopped or loses the database. */
export interface QueueRun {
  /** Resolves when the heartbeat's connection is lost, or after a stop. */
  readonly ended: Promise<void>;
  /**
   * Lets jobs in flight finish and releases every connection. Jobs that do not finish within 15 s are released, and run
   * again on another worker at once. A second call changes nothing.
   */
  stop(): Promise<void>;
}

export interface Pools extends QueueRun {
  /** These pools fetch jobs now, each if it has a free slot. */
  wake(names: ReadonlySet<PoolName>): void;
}

/**
 * Starts a worker's pools.
 *
 * @param input.onAdded called when jobs were added. @param input.onEnded called when one has ended
 * @throws Error where the database is away; all pools are stopped by then
 */
export async function startPools(
  { runtime, sessionUrl, workerId }: { runtime: Runtime; sessionUrl: string; workerId: string },
  {
    listTasks,
    onAdded,
    onEnded,
  }: { listTasks: (pool: PoolName) => TaskList; onAdded: () => void; onEnded: () => void },
): Promise<Pools> {
  const pgPool = createQueuePool({
    url: sessionUrl,
    applicationName: nameQueue(workerId),
    connectionsMax: queueConnectionsMax,
    onError: (error) => runtime.log.warn({ err: error }, "the queue lost a connection"),
  });
  const pools = new Map<PoolName, Pool>();
  let newest = "";
  const onNotification = (text: string): void => {
    // Each pool hears of each one.
    if (text !== newest) onAdded();
    newest = text;
  };
  let announcement: Announcement | null = null;
  const stopped = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    const { callMs } = stopLimits;
    // The heartbeat lasts until the jobs of all pools have ended.
    const left = (
      await Promise.all([...pools.values()].map(async (pool) => ((await pool.stop()) ? [] : [pool.id])))
    ).flat();
    if (!pgPool.ending) void pgPool.end();
    if (announcement)
      await waitAtMost(runtime, { what: "release a liveness lock", timeoutMs: callMs }, announcement.release());
    for (const id of left)
      await waitAtMost(runtime, { what: "release jobs", timeoutMs: callMs }, releaseJobs(runtime, id));
    stopped.resolve();
  };
  try {
    for (const name of Object.keys(poolSlots) as PoolName[]) {
      const input = { pgPool, taskList: listTasks(name), slots: poolSlots[name], onNotification, onEnded };
      pools.set(name, await startPool(runtime, input));
    }
    announcement = await announcePools(
      sessionUrl,
      [...pools.values()].map(({ id }) => id),
      workerId,
    );
    const ended = Promise.race([announcement.lost, stopped.promise, ...[...pools.values()].map((pool) => pool.ended)]);
    return { ended, stop, wake: (names) => names.forEach((name) => pools.get(name)?.wake()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function releaseJobs({ db, log }: Runtime, poolId: string): Promise<void> {
  const count = await releasePool(db, poolId);
  if (count > 0) log.warn({ count }, "jobs did not finish in time and were released to other workers");
}
