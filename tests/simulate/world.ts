/** A whole installation in one process: servers, workers and partners around one scheduler, one clock and one seed. */
import { catalogue } from "@cardkeep/db/queue/catalogue";
import { releasePool } from "@cardkeep/db/queue/liveness";
import { insertChores } from "@cardkeep/db/queries/operations/chores";
import { createContext } from "@cardkeep/domain/core/context";
import { addPartitions } from "@cardkeep/domain/operations/housekeeping/addPartitions";
import { chores as choreCatalogue } from "@cardkeep/domain/operations/housekeeping/chores";
import { publishCardKey } from "@cardkeep/domain/cards/cards/openEnvelope";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { createSandbox } from "@cardkeep/sandbox/app";
import { openStore } from "@cardkeep/sandbox/core/openStore";
import { seed as seedSandbox } from "@cardkeep/sandbox/seed";
import { createServer } from "@cardkeep/server/server";
import { startChores } from "@cardkeep/worker/chores";
import { createTasks } from "@cardkeep/worker/tasks";
import type { TaskList } from "graphile-worker";
import type { Sql } from "postgres";
import { generous, type Service } from "../support/service.ts";
import { startWorldNode, type WorldNode } from "./chainClock.ts";
import { setWorld } from "./current.ts";
import { startEntropy } from "./entropy.ts";
import { type DueJob, findNextJobMs, findNextOwnJobMs, listDueJobs, runJob } from "./jobs.ts";
import type { Faults } from "./faults.ts";
import { createNetwork, type Host } from "./network.ts";
import { createScheduler, type Actor, type Process, type Scheduler } from "./scheduler.ts";
import { createStream, type Stream } from "./seededRandom.ts";
import openHeld from "./seams/postgres.ts";
import type { Trace } from "./trace.ts";
import { findNextMs, installTime, moveTo, readMs, startTime, stopTime } from "./virtualTime.ts";
import { createWorldDatabase, type WorldDatabase } from "./worldDatabase.ts";

const ports = { server: 3000, sandbox: 3001 };
const origins = { server: `http://127.0.0.1:${ports.server}`, sandbox: `http://127.0.0.1:${ports.sandbox}` };
/** After every block of the seeded chain, and at a time of the day at which a day's limits do not begin anew soon. */
const beginsAt = Date.UTC(2031, 2, 10, 9);
const jobsAtOnce = 8;
const blockMs = 1_000;
const dozeMs = 60_000;

interface ServerPart extends Host {
  readonly runtime: Runtime;
}

interface WorkerPart {
  readonly process: Process;
  readonly runtime: Runtime;
  readonly queue: Sql;
  readonly poolId: string;
  readonly tasks: (pool: (typeof catalogue)[DueJob["task"]]["pool"]) => TaskList;
  readonly running: Set<string>;
}

export interface World extends Service {
  readonly database: WorldDatabase;
  readonly scheduler: Scheduler;
  readonly random: Stream;
  readonly failures: Map<string, string>;
  /** What broke while it was played, in words. */
  readonly broken: ReadonlySet<string>;
  /** Plays until `isOver` says so. @throws Error where nothing can go on */
  play(isOver: () => boolean, what: string): Promise<void>;
  /** Plays until nothing but the time can go on, and `isQuiet` says so. @throws Error where that never comes */
  rest(isQuiet: () => Promise<boolean>, what: string): Promise<void>;
  /** Starts an actor; the returned object says when it has ended. */
  begin(name: string, work: () => Promise<void>): { isOver: boolean; error: unknown };
  /** The time passes at once, as over a night. */
  leap(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldInput {
  seed: number;
  servers: number;
  workers: number;
  trace: Trace;
  fetchReally: typeof fetch;
  hasNativeWork(): boolean;
  faults: Faults;
}

export async function buildWorld(input: WorldInput): Promise<World> {
  const [database, node] = await Promise.all([createWorldDatabase(), startWorldNode(input.fetchReally)]);
  const random = createStream(input.seed, "schedule");
  const broken = new Set<string>();
  const outside: Process = { name: "outside", isDead: false };
  const scheduler = createScheduler({
    random,
    outside,
    hasNativeWork: input.hasNativeWork,
    countLockWaits: database.countLockWaits,
    onRelease: ({ actor, message }, outcome) => {
      input.trace.note(actor.name, message, outcome);
      if (outcome?.status === "rejected" && isDeadlock(outcome.reason)) broken.add(`deadlock: ${actor.name}`);
    },
  });
  const servers: ServerPart[] = [];
  const workers: WorkerPart[] = [];
  let building = outside;
  const clients = new Map<Process, Sql[]>();
  setWorld({
    pass: scheduler.pass,
    get building() {
      return building;
    },
    noteClient: (client) => void clients.set(building, [...(clients.get(building) ?? []), client]),
  });
  let partners: Host | null = null;
  const network = createNetwork({
    scheduler,
    rpcUrl: node.rpcUrl,
    fetchReally: input.fetchReally,
    findHost: (origin) => {
      if (origin === origins.sandbox) return partners;
      return servers[random.below(servers.length)] ?? null;
    },
    drawFate: input.faults.drawFate,
    onAnswer: (host, what, status) => {
      if (status === 500) broken.add(`${host} answered 500 to ${what}`);
    },
  });
  Object.assign(globalThis, { fetch: network.fetch });
  const env = {
    DATABASE_URL: database.serviceUrl,
    RPC_URL: node.rpcUrl,
    ENS_RPC_URL: node.rpcUrl,
    CARDKEEP_LOCAL_CHAIN: "1",
    CONTRACT_CODE: node.contractCode,
    PORT: String(ports.server),
    SANDBOX_PORT: String(ports.sandbox),
    LOG_LEVEL: process.env["SIMULATE_LOG_LEVEL"] ?? "silent",
    ...generous,
  };
  installTime(scheduler.current);
  startEntropy(input.seed);
  startTime(beginsAt);
  await database.setTime(beginsAt);
  await node.mine(beginsAt / 1000);
  const settings = readSettings(env);
  const build = async <T>(process: Process, make: () => Promise<T>): Promise<T> => {
    building = process;
    return make().finally(() => (building = outside));
  };

  let lastBlock = beginsAt / 1000;
  let databaseMs = beginsAt;
  const setTime = async (atMs: number): Promise<void> => {
    moveTo(atMs);
    const now = Math.floor(readMs());
    if (now === databaseMs) return;
    databaseMs = now;
    await database.setTime(now);
  };
  /** The time goes to an instant, and the chain with it. */
  const passTo = async (atMs: number): Promise<void> => {
    await setTime(atMs);
    const second = Math.floor(readMs() / 1000);
    if (second <= lastBlock) return;
    lastBlock = second;
    await scheduler.run({ name: "chain", process: outside }, () => node.mine(second));
    input.trace.note("chain", { kind: "block", text: String(second) }, null);
    await scheduler.settle();
  };

  const begin = (name: string, work: () => Promise<void>, process = outside) => {
    const state = { isOver: false, error: null as unknown };
    const actor: Actor = { name, process };
    void scheduler.run(actor, work).then(
      () => (state.isOver = true),
      (error: unknown) => Object.assign(state, { isOver: true, error }),
    );
    return state;
  };

  const failures = new Map<string, string>();
  let jobsSeen = 0;
  /** A free worker takes one of the due jobs; false where there is none. */
  const startJob = async (): Promise<boolean> => {
    const free = workers.filter(({ running }) => running.size < jobsAtOnce);
    if (free.length === 0) return false;
    const running = new Set(workers.flatMap((each) => [...each.running]));
    const due = (await listDueJobs(database.ask)).filter(({ id }) => !running.has(id));
    const job = due[random.below(Math.max(1, due.length))];
    const worker = free[random.below(free.length)];
    if (!job || !worker) return false;
    worker.running.add(job.id);
    const name = `${worker.process.name} ${job.key || job.task}`;
    input.trace.note(worker.process.name, { kind: "job", text: job.key || job.task }, null);
    const state = begin(
      `${name} #${++jobsSeen}`,
      () =>
        runJob(job, {
          queue: worker.queue,
          poolId: worker.poolId,
          tasks: worker.tasks,
          pool: catalogue[job.task].pool,
          onFailure: ({ key, task }, error) => failures.set(key || task, String(error)),
        }).finally(() => worker.running.delete(job.id)),
      worker.process,
    );
    void state;
    await scheduler.settle();
    return true;
  };

  /** Releases a message, begins a job, or lets the time pass where nothing else can go on. */
  const step = async (): Promise<"released" | "passed"> => {
    // A look for jobs now and then, and always when nothing else can go on.
    if (random.below(6) === 0 && (await startJob())) return "released";
    if (await scheduler.releaseOne()) {
      await setTime(readMs() + random.below(40) / 100);
      return "released";
    }
    if (await startJob()) return "released";
    const nexts = [findNextMs(), await findNextJobMs(database.ask), (lastBlock + 1) * 1000 + random.below(50)];
    await passTo(
      Math.min(...nexts.filter((each) => each !== null).filter((each) => each > readMs()), readMs() + blockMs),
    );
    return "passed";
  };
  /** While nobody acts and no transaction waits for a block, nothing happens for some seconds but what looks again and again. */
  const doze = async (): Promise<void> => {
    const next = await findNextOwnJobMs(database.ask);
    if (next !== null && next > readMs() + blockMs) await passTo(Math.min(next, readMs() + dozeMs));
  };

  const limit = (what: string) => {
    const endsMs = readMs() + playMsMax;
    return () => {
      if (readMs() > endsMs) throw new Error(`${what}: not over after ${playMsMax / 1000} s of the world's time`);
    };
  };
  const play: World["play"] = async (isOver, what) => {
    const check = limit(what);
    for (; !isOver(); check()) await step();
  };
  const rest: World["rest"] = async (isQuiet, what) => {
    const check = limit(what);
    for (let last = "released"; last !== "passed" || !(await isQuiet()); check()) {
      last = await step();
      if (last === "passed") await doze();
    }
  };

  const playOne = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = { value: null as T | null };
    const state = begin(name, async () => {
      result.value = await work();
    });
    await play(() => state.isOver, name);
    if (state.error !== null) throw state.error;
    return result.value as T;
  };

  const partnersProcess: Process = { name: "partners", isDead: false };
  const runtime = openStore(await build(partnersProcess, () => createRuntime(settings, "sandbox")));
  const sandbox = createSandbox(runtime);
  partners = { process: partnersProcess, name: "partners", handle: (request) => sandbox.fetch(request) };
  for (let index = 1; index <= input.servers; index++) {
    const process: Process = { name: `server-${index}`, isDead: false };
    const own = await build(process, () => createRuntime(settings, "server"));
    const server = createServer(own);
    servers.push({ process, name: process.name, runtime: own, handle: (request) => server.handle(request) });
  }
  const startWorker = async (name: string): Promise<void> => {
    const process: Process = { name, isDead: false };
    const own = await build(process, () => createRuntime(settings, "worker"));
    const queue = await build(process, async () =>
      openHeld(settings.databaseUrl ?? "", { max: jobsAtOnce, fetch_types: false }),
    );
    const keys = createWorkerKeys(settings, () => {});
    await publishCardKey(own.services, keys.cardKeys);
    await insertChores(own.db, Object.keys(choreCatalogue));
    const poolId = `pool-${name}`;
    await releasePool(own.db, poolId);
    const tasks = createTasks(own, keys, new AbortController().signal);
    workers.push({ process, runtime: own, queue, poolId, tasks, running: new Set() });
    await scheduler.run({ name: `${name} chores`, process }, async () => startChores(own, { workerId: name, ...keys }));
  };
  await playOne("seed", () => seedSandbox(runtime));
  await playOne("partitions", () =>
    addPartitions(createContext(runtime.services, { log: runtime.log, requestId: "simulate" })),
  );
  for (let index = 1; index <= input.workers; index++)
    await playOne(`start ${index}`, () => startWorker(`worker-${index}`));

  return {
    env,
    ownerDb: runtime.db,
    ownerUrl: database.url,
    startServer: () => {},
    stopServer: async () => {},
    url: origins.server,
    sandboxUrl: origins.sandbox,
    rpcUrl: node.rpcUrl,
    runtime,
    database,
    scheduler,
    random,
    failures,
    broken,
    play,
    rest,
    begin,
    leap: (ms) => passTo(readMs() + ms),
    stop: () => end({ database, node, clients }),
  };
}

const isDeadlock = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "40P01";

/** An operation that cannot be executed expires after half an hour. */
const playMsMax = 9_000_000;

async function end(parts: { database: WorldDatabase; node: WorldNode; clients: Map<Process, Sql[]> }): Promise<void> {
  stopTime();
  await Promise.all([...parts.clients.values()].flat().map((client) => client.end({ timeout: 0 })));
  await parts.node.stop();
  await parts.database.drop();
}
