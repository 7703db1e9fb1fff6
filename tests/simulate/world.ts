/** A whole installation in one process: servers, workers and partners around one scheduler, one clock and one seed. */
import { catalogue } from "@cardkeep/db/queue/catalogue";
import { createContext } from "@cardkeep/domain/core/context";
import { addPartitions } from "@cardkeep/domain/operations/housekeeping/addPartitions";
import { readSettings } from "@cardkeep/runtime/settings";
import { seed as seedSandbox } from "@cardkeep/sandbox/seed";
import { generous, type Service } from "../support/service.ts";
import { startWorldNode } from "./chainClock.ts";
import { setWorld } from "./current.ts";
import { startEntropy } from "./entropy.ts";
import type { Faults } from "./faults.ts";
import { findNextJobMs, findNextOwnJobMs, listDueJobs, runJob } from "./jobs.ts";
import { findLostJobs } from "./oracles/lostJobs.ts";
import { createNetwork, type Host } from "./network.ts";
import { createProcesses } from "./processes.ts";
import { createScheduler, type Actor, type Process } from "./scheduler.ts";
import { createStream } from "./seededRandom.ts";
import type { Trace } from "./trace.ts";
import { findNextMs, installTime, moveTo, readMs, startTime, stopTime } from "./virtualTime.ts";
import { createWorldDatabase, type WorldDatabase } from "./worldDatabase.ts";

const ports = { server: 3000, sandbox: 3001 };
const origins = { server: `http://127.0.0.1:${ports.server}`, sandbox: `http://127.0.0.1:${ports.sandbox}` };
/** After every block of the seeded chain: by day, and some seconds before the end of a day or of a month. */
const beginnings = [
  Date.UTC(2031, 2, 10, 9),
  Date.UTC(2031, 2, 10, 15),
  Date.UTC(2031, 2, 11, 23, 59, 52),
  Date.UTC(2031, 3, 2, 9),
  Date.UTC(2031, 2, 31, 23, 59, 50),
];
const jobsAtOnce = 8;
const blockMs = 1_000;
const dozeMs = 600_000;
/** An operation that cannot be executed expires after half an hour. */
const playMsMax = 9_000_000;
/** One release in so many is a look for jobs. */
const looksEvery = 6;

export interface World extends Service {
  readonly database: WorldDatabase;
  readonly failures: ReadonlyMap<string, string>;
  /** What broke while it was played, in words. */
  readonly broken: ReadonlySet<string>;
  /** Plays until `isOver` says so. @throws Error where that never comes */
  play(isOver: () => boolean, what: string): Promise<void>;
  /** Plays until nothing but the time can go on, and `isQuiet` says so. @throws Error where that never comes */
  rest(isQuiet: () => Promise<boolean>, what: string): Promise<void>;
  /** Starts an actor; the returned object says when it has ended. */
  begin(name: string, work: () => Promise<void>): Begun;
  /** Plays one actor until its end, and answers what it answered. */
  one<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The time passes at once, as over a night. */
  leap(ms: number): Promise<void>;
}

interface Begun {
  readonly isOver: boolean;
  readonly error: unknown;
}

export interface WorldInput {
  seed: number;
  servers: number;
  workers: number;
  trace: Trace;
  faults: Faults;
  fetchReally: typeof fetch;
  hasNativeWork(): boolean;
  /** Is called before each step; what it throws ends the run. */
  onStep(): void;
}

export async function buildWorld(input: WorldInput): Promise<World> {
  const { trace, faults } = input;
  const beginsAt = beginnings[input.seed % beginnings.length] ?? 0;
  const [database, node] = await Promise.all([createWorldDatabase(), startWorldNode(input.fetchReally)]);
  const random = createStream(input.seed, "schedule");
  const broken = new Set<string>();
  const failures = new Map<string, string>();
  const outside: Process = { name: "outside", isDead: false };
  const scheduler = createScheduler({
    random,
    outside,
    hasNativeWork: input.hasNativeWork,
    countLockWaits: database.countLockWaits,
    onRelease: ({ actor, message }, outcome) => {
      trace.note(actor.name, message, outcome);
      if (outcome?.status === "fulfilled" && message.kind === "sql")
        for (const each of findLostJobs(message.text, outcome.value)) broken.add(each);
      if (outcome?.status === "rejected" && isDeadlock(outcome.reason)) broken.add(`deadlock: ${actor.name}`);
    },
  });
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
  const processes = createProcesses(settings, scheduler, outside);
  const { servers, workers } = processes;
  setWorld({
    pass: scheduler.pass,
    get building() {
      return processes.building;
    },
    noteClient: processes.noteClient,
  });
  let partners: Host | null = null;
  const network = createNetwork({
    scheduler,
    rpcUrl: node.rpcUrl,
    fetchReally: input.fetchReally,
    findHost: (origin) => (origin === origins.sandbox ? partners : (servers[1 + random.below(input.servers)] ?? null)),
    drawFate: faults.drawFate,
    onAnswer: (host, what, status) => {
      if (status === 500) broken.add(`${host} answered 500 to ${what}`);
    },
  });
  Object.assign(globalThis, { fetch: network.fetch });

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
    const removed = faults.drawReorganisation();
    if (removed > 0) await node.reorganise(removed);
    await node.mine(second);
    trace.note("chain", { kind: "block", text: String(second) }, null);
    await scheduler.settle();
  };

  const begin = (name: string, work: () => Promise<void>, process = outside): Begun => {
    const state = { isOver: false, error: null as unknown };
    const actor: Actor = { name, process };
    void scheduler.run(actor, work).then(
      () => (state.isOver = true),
      (error: unknown) => Object.assign(state, { isOver: true, error }),
    );
    return state;
  };

  let jobsSeen = 0;
  /** A free worker takes one of the due jobs; false where there is none. */
  const startJob = async (): Promise<boolean> => {
    const living = workers.filter((worker) => worker !== undefined && !worker.process.isDead);
    const free = living.filter(({ running }) => running.size < jobsAtOnce);
    if (free.length === 0) return false;
    const running = new Set(living.flatMap((each) => [...each.running]));
    const due = (await listDueJobs(database.ask)).filter(({ id }) => !running.has(id));
    const job = due[random.below(Math.max(1, due.length))];
    const worker = free[random.below(free.length)];
    if (!job || !worker) return false;
    worker.running.add(job.id);
    const name = job.key || job.task;
    trace.note(worker.process.name, { kind: "job", text: name }, null);
    const onFailure = (error: unknown) => void failures.set(name, String(error));
    const run = { ...worker, pool: catalogue[job.task].pool, onFailure };
    const work = () => runJob(job, run).finally(() => worker.running.delete(job.id));
    begin(`${worker.process.name} ${name} #${++jobsSeen}`, work, worker.process);
    await scheduler.settle();
    return true;
  };

  /** A server or a worker dies, and another one starts in its place. */
  const crash = async (): Promise<void> => {
    const place = 1 + random.below(input.servers + input.workers);
    const isServer = place <= input.servers;
    const worker = workers[place - input.servers];
    const dying = isServer ? servers[place]?.process : worker?.process;
    // A worker that starts has not taken its place yet.
    if (!dying || dying.isDead) return;
    trace.tell("world", `${dying.name} dies`);
    await processes.kill(dying, database.endSessions);
    network.endConnections(dying);
    if (isServer) await processes.startServer(place);
    else begin(`start of worker-${place - input.servers}`, () => processes.startWorker(place - input.servers));
    await scheduler.settle();
  };

  /** Releases a message, begins a job, or lets the time pass where nothing else can go on. */
  const step = async (): Promise<"released" | "passed"> => {
    input.onStep();
    if (faults.drawCrash()) await crash();
    // A look for jobs now and then, and always when nothing else can go on.
    if (random.below(looksEvery) === 0 && (await startJob())) return "released";
    if (await scheduler.releaseOne()) {
      await setTime(readMs() + random.below(40) / 100);
      return "released";
    }
    if (await startJob()) return "released";
    const nexts = [findNextMs(), await findNextJobMs(database.ask), (lastBlock + 1) * 1000 + random.below(50)];
    const later = nexts.filter((each) => each !== null).filter((each) => each > readMs());
    await passTo(Math.min(...later, readMs() + blockMs));
    return "passed";
  };
  /** While no person acts and no transaction waits for a block, only periodic jobs run for some seconds. */
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
  const one: World["one"] = async <T>(name: string, work: () => Promise<T>) => {
    const result: { value?: T } = {};
    const state = begin(name, async () => {
      result.value = await work();
    });
    await play(() => state.isOver, name);
    if (state.error !== null) throw state.error;
    return result.value as T;
  };

  const { host, ...runtime } = await processes.startPartners();
  partners = host;
  for (let place = 1; place <= input.servers; place++) await processes.startServer(place);
  await one("seed", () => seedSandbox(runtime));
  const context = createContext(runtime.services, { log: runtime.log, requestId: "simulate" });
  await one("partitions", () => addPartitions(context));
  for (let place = 1; place <= input.workers; place++)
    await one(`start of worker-${place}`, () => processes.startWorker(place));

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
    failures,
    broken,
    play,
    rest,
    begin,
    one,
    leap: (ms) => passTo(readMs() + ms),
    stop: async () => {
      stopTime();
      await processes.close();
      await node.stop();
      await database.drop();
    },
  };
}

const isDeadlock = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "40P01";
