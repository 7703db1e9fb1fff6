/**
 * The worker: runs the queue's jobs, frees those of dead workers, and keeps the books of open work.
 *
 * - session: one pool of the queue with its proof of life; a lost database connection ends it and the next one begins.
 */
import { type Announcement, announcePool, recoverDeadPools } from "@cardkeep/db/liveness";
import { outboxChannel } from "@cardkeep/db/queries/events";
import { addMissingJobs } from "@cardkeep/db/queries/reconcile";
import { deleteOldRows } from "@cardkeep/db/queries/retention";
import { forgetRemovedSignInWallets } from "@cardkeep/db/queries/users";
import { expireCards } from "@cardkeep/domain/cards/expire";
import { publishCardKey } from "@cardkeep/domain/cards/publicKey";
import { createContext } from "@cardkeep/domain/context";
import { fanOut, wakeEndpoints } from "@cardkeep/domain/webhooks/fanOut";
import { removalsKeptMs } from "@cardkeep/domain/auth/removedWallets";
import type { WorkerKeys } from "@cardkeep/domain/context";
import { createWorkerKeys, type Runtime } from "@cardkeep/runtime/compose";
import { type LogLevel, Logger, run, type Runner, type TaskList } from "graphile-worker";
import { EventEmitter } from "node:events";
import { createTasks } from "./tasks.ts";

/**
 * One fetches for all slots of a pool: while one looks for a job of a subject that nobody is at, another one would see
 * none. Nobody tells when a job's time has come, so it is asked for as often as this. What was fetched and finds no slot
 * for so long is given back to other workers.
 */
const fetching = (size: number) => ({ pollInterval: 200, localQueue: { size, ttl: 1_000 } });
const ownPool = { concurrentJobs: 10, maxPoolSize: 12, ...fetching(10) };
/** A slot for each endpoint that is written to at once: so many may hang before others wait, and then for 30 s at most. */
const strangersPool = { concurrentJobs: 24, maxPoolSize: 8, ...fetching(24) };
const fanOutEveryMs = 1_000;
const recoverEveryMs = 1_000;
const reconcileEveryMs = 10_000;
const retryMs = 500;
const stopMsMax = 6_000;

export interface Worker {
  /** Takes no more jobs, lets those in flight finish, and leaves no lock behind. */
  stop(): Promise<void>;
}

/** Starts a worker and resolves once it takes jobs. */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const databaseUrl = runtime.settings.databaseUrl ?? "";
  const keys = createWorkerKeys(runtime.settings);
  await publishCardKey(runtime.services, keys.cardKey);
  let isStopping = false;
  let session = await startSession(runtime, databaseUrl, keys);
  const sessions = (async () => {
    while (!isStopping) {
      await session.ended;
      if (isStopping) return;
      runtime.log.warn({}, "the database connection was lost, starting again");
      await session.stop();
      session = await startAgain(runtime, databaseUrl, keys, () => isStopping);
    }
  })();
  const chores = [repeat(recoverEveryMs, () => recover(runtime)), repeat(reconcileEveryMs, () => reconcile(runtime))];
  return {
    stop: async () => {
      isStopping = true;
      await Promise.all(chores.map((chore) => chore.stop()));
      await session.stop();
      await sessions;
    },
  };
}

interface Session {
  /** Resolves when the session has lost its proof of life or was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

async function startSession(runtime: Runtime, databaseUrl: string, keys: WorkerKeys): Promise<Session> {
  const stopping = new AbortController();
  const tasks = createTasks(runtime, keys, stopping.signal);
  const pools = await Promise.all([
    startPool(runtime, tasks.own, { connectionString: databaseUrl, ...ownPool }),
    startPool(runtime, tasks.strangers, { connectionString: databaseUrl, ...strangersPool }),
  ]);
  const fanOut = await startFanOut(runtime);
  return {
    ended: Promise.race(pools.map((pool) => pool.ended)),
    stop: async () => {
      stopping.abort();
      await Promise.all([fanOut.stop(), ...pools.map((pool) => pool.stop())]);
    },
  };
}

/** One pool of the queue, with its proof of life. */
async function startPool(
  runtime: Runtime,
  taskList: TaskList,
  options: GraphileConfig.WorkerOptions & { connectionString: string },
): Promise<Session> {
  const events = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.on("pool:create", ({ workerPool }: { workerPool: { id: string } }) => resolve(workerPool.id));
  });
  const runner: Runner = await run({
    taskList,
    preset: { worker: options },
    noHandleSignals: true,
    parsedCronItems: [],
    events,
    logger: new Logger(() => (level, message) => logQueue(runtime, level, message)),
  });
  const announcement: Announcement = await announcePool(options.connectionString, await poolId);
  const stopped = Promise.withResolvers<void>();
  return {
    ended: Promise.race([announcement.lost, stopped.promise, runner.promise.catch(() => {})]),
    stop: async () => {
      await withLimit(runner.stop(), stopMsMax);
      await withLimit(announcement.release(), stopMsMax);
      stopped.resolve();
    },
  };
}

/** Fans events out as soon as they are committed; a notice that was lost is made up for within a second. */
async function startFanOut(runtime: Runtime): Promise<{ stop(): Promise<void> }> {
  const chore = repeat(fanOutEveryMs, () => fanOut(runtime.services));
  const alarm = repeat(fanOutEveryMs, () => wakeEndpoints(runtime.services));
  const unlisten = await runtime.listen(outboxChannel, () => chore.wake());
  return {
    stop: async () => {
      await withLimit(unlisten(), stopMsMax);
      await Promise.all([chore.stop(), alarm.stop()]);
    },
  };
}

async function startAgain(
  runtime: Runtime,
  databaseUrl: string,
  keys: WorkerKeys,
  isStopping: () => boolean,
): Promise<Session> {
  for (;;) {
    try {
      return await startSession(runtime, databaseUrl, keys);
    } catch (error) {
      if (isStopping()) return { ended: Promise.resolve(), stop: async () => {} };
      runtime.log.warn({ err: error }, "the queue is not reachable");
      await Bun.sleep(retryMs);
    }
  }
}

async function recover(runtime: Runtime): Promise<void> {
  const pools = await recoverDeadPools(runtime.db);
  if (pools.length > 0) runtime.log.warn({ pools }, "freed the jobs of dead workers");
}

async function reconcile(runtime: Runtime): Promise<void> {
  const missing = await addMissingJobs(runtime.db, runtime.settings.chainId);
  if (missing > 0) runtime.log.warn({ missing }, "added jobs that open work had lost");
  await expireCards(createContext(runtime.services, { log: runtime.log, requestId: "expiry" }));
  await forgetRemovedSignInWallets(runtime.db, new Date(Date.now() - removalsKeptMs));
  await deleteOldRows(runtime.db, await runtime.clock.now(runtime.db));
}

interface Chore {
  /** Runs it now; where it runs already, once more as soon as it has ended. */
  wake(): void;
  stop(): Promise<void>;
}

/** Runs a chore now and again and again, never twice at once; a failing one is tried at its next turn. */
function repeat(everyMs: number, chore: () => Promise<void>): Chore {
  let current = Promise.resolve();
  let [isIdle, isWanted, isStopped] = [true, false, false];
  const wake = () => {
    isWanted = true;
    if (!isIdle || isStopped) return;
    [isIdle, isWanted] = [false, false];
    current = chore()
      .catch(() => {})
      .finally(() => {
        isIdle = true;
        if (isWanted) wake();
      });
  };
  wake();
  const timer = setInterval(wake, everyMs);
  return {
    wake,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await current;
    },
  };
}

/** Waits for `work`, but not beyond `limitMs`: a database that is away must not hold up a stop. */
const withLimit = (work: Promise<unknown>, limitMs: number): Promise<unknown> =>
  Promise.race([work.catch(() => {}), Bun.sleep(limitMs)]);

function logQueue(runtime: Runtime, level: LogLevel, message: string): void {
  if (level === "error") runtime.log.error({}, message);
  else if (level === "warning") runtime.log.warn({}, message);
  else runtime.log.debug({}, message);
}
