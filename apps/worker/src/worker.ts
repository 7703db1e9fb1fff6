/** The worker: runs the queue's jobs in a session after the other, frees jobs of dead workers, does the chores. */
import { recoverDeadPools } from "@cardkeep/db/queue/liveness";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { deleteOldRows } from "@cardkeep/db/queries/retention";
import { forgetRemovedSignInWallets } from "@cardkeep/db/queries/users";
import { removalsKeptMs } from "@cardkeep/domain/auth/removedWallets";
import { expireCards } from "@cardkeep/domain/cards/expire";
import { publishCardKey } from "@cardkeep/domain/cards/publicKey";
import { createContext } from "@cardkeep/domain/context";
import { createWorkerKeys, type Runtime } from "@cardkeep/runtime/compose";
import { randomBytes } from "node:crypto";
import { type Chore, startChore } from "./chore.ts";
import { type Session, startSession } from "./session.ts";

const recoverEveryMs = 1_000;
const reconcileEveryMs = 10_000;
/** Pauses between attempts to start a session double from the first to the last. */
const retryMsMin = 500;
const retryMsMax = 5_000;

export interface Worker {
  /** Takes no more jobs, lets those in flight finish, and leaves no lock behind. */
  stop(): Promise<void>;
}

/** Starts a worker and resolves once it takes jobs. @throws Error where the database is away or refuses writes */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const { settings } = runtime;
  const keys = createWorkerKeys(settings);
  const workerId = randomBytes(4).toString("hex");
  await publishCardKey(runtime.services, keys.cardKey);
  const start = () => startSession({ runtime, databaseUrl: settings.databaseUrl ?? "", keys, workerId });
  const first = await start();
  const stopping = Promise.withResolvers<null>();
  const sessions = runSessions(runtime, { first, start, stopping: stopping.promise });
  const chores = startChores(runtime);
  return {
    stop: async () => {
      stopping.resolve(null);
      await Promise.all([sessions, ...chores.map((chore) => chore.stop())]);
    },
  };
}

interface Sessions {
  first: Session;
  start(): Promise<Session>;
  /** Resolves when the worker is to stop. */
  stopping: Promise<null>;
}

/** Starts a session whenever the one before has ended, and stops the last one. */
async function runSessions(runtime: Runtime, { first, start, stopping }: Sessions): Promise<void> {
  for (let session: Session | null = first; session !== null; ) {
    const isOver = await Promise.race([session.ended.then(() => false), stopping.then(() => true)]);
    await session.stop();
    if (isOver) return;
    runtime.log.warn({}, "the database connection was lost, starting again");
    session = await startAgain(runtime, { start, stopping });
  }
}

/** A new session; null when the worker is to stop meanwhile. */
async function startAgain(
  { log }: Runtime,
  { start, stopping }: Pick<Sessions, "start" | "stopping">,
): Promise<Session | null> {
  for (let pauseMs = retryMsMin; ; pauseMs = Math.min(2 * pauseMs, retryMsMax)) {
    const starting = start();
    try {
      const session = await Promise.race([starting, stopping]);
      // The start may hang on a database that is away: it is stopped once it has come to its end.
      if (session === null) void starting.then((late) => late.stop(), logLate);
      return session;
    } catch (error) {
      log.warn({ err: error, pauseMs }, "the queue is not reachable");
    }
    if ((await Promise.race([Bun.sleep(pauseMs), stopping])) === null) return null;
  }

  function logLate(error: unknown): void {
    log.debug({ err: error }, "a session that was given up did not start");
  }
}

/** Each by itself: one that fails holds up no other. */
function startChores(runtime: Runtime): Chore[] {
  const { db, clock, log, services } = runtime;
  const often = { everyMs: recoverEveryMs };
  const seldom = { everyMs: reconcileEveryMs };
  return [
    startChore(log, { ...often, name: "recover dead pools", run: () => recover(runtime) }),
    startChore(log, { ...seldom, name: "add missing jobs", run: () => addJobs(runtime) }),
    startChore(log, {
      ...seldom,
      name: "expire cards",
      run: () => expireCards(createContext(services, { log, requestId: "expiry" })),
    }),
    startChore(log, {
      ...seldom,
      name: "forget removed sign-in wallets",
      run: () => forgetRemovedSignInWallets(db, new Date(Date.now() - removalsKeptMs)),
    }),
    startChore(log, {
      ...seldom,
      name: "delete old rows",
      run: async () => deleteOldRows(db, await clock.now(db)),
    }),
  ];
}

async function addJobs({ db, log, settings }: Runtime): Promise<void> {
  const missing = await addMissingJobs(db, settings.chainId);
  if (missing > 0) log.warn({ missing }, "added jobs that open work had lost");
}

async function recover({ db, log }: Runtime): Promise<void> {
  const pools = await recoverDeadPools(db);
  if (pools.length > 0) log.warn({ pools }, "freed the jobs of dead workers");
}
