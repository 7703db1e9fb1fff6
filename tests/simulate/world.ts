/** A whole installation in one process: servers, workers and partners around one scheduler, one clock and one seed. */
import { tokens } from "@cardkeep/chain/tokens";
import { createContext } from "@cardkeep/domain/core/context";
import { addPartitions } from "@cardkeep/domain/operations/housekeeping/addPartitions";
import { readSettings } from "@cardkeep/runtime/settings";
import { seed as seedSandbox } from "@cardkeep/sandbox/seed";
import { generous, type Service } from "../support/service.ts";
import { startWorldNode } from "./chainClock.ts";
import { setWorld } from "./current.ts";
import { createDisturbances } from "./disturbances.ts";
import { startEntropy } from "./entropy.ts";
import type { Faults } from "./faults.ts";
import { createJobStarts } from "./jobStarts.ts";
import { findNextJobMs, findNextOwnJobMs } from "./jobs.ts";
import { type CommitOracles, createCommitOracles } from "./oracles/commits.ts";
import { createIdleQueues } from "./oracles/idleQueues.ts";
import { findLostJobs, listAddedJobs } from "./oracles/lostJobs.ts";
import { say } from "./oracles/names.ts";
import { createUntaken } from "./oracles/untaken.ts";
import { createMisfortunes, type Misfortunes } from "./misfortunes.ts";
import { createNetwork, type Host } from "./network.ts";
import { createPlaying, type Playing } from "./playing.ts";
import { createProcesses } from "./processes.ts";
import { createScheduler, type Process } from "./scheduler.ts";
import { createStream } from "./seededRandom.ts";
import type { Trace } from "./trace.ts";
import { findNextMs, installTime, readMs, startTime, stopTime } from "./virtualTime.ts";
import { createWorldClock, type WorldClock } from "./worldClock.ts";
import { createWorldDatabase, type WorldDatabase } from "./worldDatabase.ts";

const ports = { server: 3000, sandbox: 3001 };
const origins = { server: `http://127.0.0.1:${ports.server}`, sandbox: `http://127.0.0.1:${ports.sandbox}` };
/** After every block of the seeded chain: by day, and some seconds before the end of a day or of a month. */
const midnights = [Date.UTC(2031, 2, 11, 23, 59, 52), Date.UTC(2031, 2, 31, 23, 59, 50)];
const beginnings = [Date.UTC(2031, 2, 10, 9), Date.UTC(2031, 2, 10, 15), Date.UTC(2031, 3, 2, 9), ...midnights];
/** Chores are a third of all messages, so that both workers do them in one seed of so many. */
const choresTwiceEvery = 3;
const blockMs = 1_000;
const dozeMs = 600_000;
/** One release in so many is a look for jobs. */
const looksEvery = 6;

export interface World extends Service, Playing {
  readonly database: WorldDatabase;
  readonly failures: ReadonlyMap<string, string>;
  /** What broke while it was played, in words. */
  readonly broken: Set<string>;
  /** So many transactions another program sent by each key of the service. */
  readonly foreignSent: ReadonlyMap<string, number>;
  /** The Safes of which a stranger sent a failed spend again. */
  readonly replayed: ReadonlySet<string>;
  /** So many callbacks were taken. */
  readonly callbacks: number;
  readonly keep: WorldClock["keep"];
  /** The time passes at once, as over a night. */
  leap(ms: number): Promise<void>;
}

export interface WorldInput {
  seed: number;
  /** Of messages: 0 is the seed's own order. */
  schedule: number;
  isAtMidnight: boolean;
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
  const hours = input.isAtMidnight ? midnights : beginnings;
  const beginsAt = hours[input.seed % hours.length] ?? 0;
  const [database, node] = await Promise.all([createWorldDatabase(), startWorldNode(input.fetchReally)]);
  const random = createStream(input.seed, input.schedule === 0 ? "schedule" : `schedule ${input.schedule}`);
  const broken = new Set<string>();
  const failures = new Map<string, string>();
  const added: string[] = [];
  const findLost = async (): Promise<void> => {
    if (added.length === 0) return;
    const keys = added.splice(0).filter((key) => misfortunes?.freed.has(key) !== true);
    for (const each of await findLostJobs(database, keys)) broken.add(say("lost jobs", each));
  };
  const untaken = createUntaken();
  const idleQueues = createIdleQueues(database.ask);
  let commits: CommitOracles | null = null;
  let misfortunes: Misfortunes | null = null;
  const outside: Process = { name: "outside", isDead: false };
  const scheduler = createScheduler({
    random,
    outside,
    hasNativeWork: input.hasNativeWork,
    countLockWaits: database.countLockWaits,
    drawStall: (actor, message) => misfortunes?.drawStall(actor, message) ?? null,
    onRelease: ({ actor, message }, outcome) => {
      trace.note(actor.name, message, outcome);
      if (outcome?.status === "fulfilled" && message.kind === "sql")
        added.push(...listAddedJobs(message.text, outcome.value));
      if (outcome?.status === "fulfilled") commits?.note(message);
      const lost = untaken.note(actor, message, outcome?.status === "fulfilled" ? outcome.value : null);
      if (lost !== null) broken.add(say("lost jobs", lost));
      if (outcome?.status === "rejected" && isDeadlock(outcome.reason)) broken.add(say("deadlocks", actor.name));
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
  startEntropy(input.seed, () => scheduler.current()?.name ?? "drivers");
  startTime(beginsAt);
  await database.setTime(beginsAt);
  await node.mine(beginsAt / 1000);
  const settings = readSettings(env);
  const processes = createProcesses(settings, {
    scheduler,
    outside,
    hasChores: (place) => place === 1 || input.seed % choresTwiceEvery === 0,
  });
  const { servers, workers } = processes;
  setWorld({
    pass: scheduler.pass,
    get building() {
      return processes.building;
    },
    noteClient: processes.noteClient,
  });
  let partners: Host | null = null;
  let callbacks = 0;
  const network = createNetwork({
    scheduler,
    rpcUrl: node.rpcUrl,
    fetchReally: input.fetchReally,
    findHost: (origin) => (origin === origins.sandbox ? partners : (servers[1 + random.below(input.servers)] ?? null)),
    drawFate: faults.drawFate,
    onAnswer: (host, what, status) => {
      if (status === 200 && what.startsWith("POST /callbacks/")) callbacks++;
      if (status === 500) broken.add(say("answers", `${host} answered 500 to ${what}`));
    },
  });
  Object.assign(globalThis, { fetch: network.fetch });

  const disturbances = createDisturbances({
    faults,
    node,
    random,
    ask: database.ask,
    till: settings.policy.settlementAddress,
    getBalance: (owner) => runtime.chain.getTokenBalance(tokens.EURe.address, owner),
  });
  const clock = createWorldClock({ beginsAt, database, node, faults, disturbances, scheduler, trace });
  const { keep, setTime, passTo } = clock;

  const { begin, play, rest, one } = createPlaying({ scheduler, outside, step: () => step(), doze: () => doze() });
  const takeJob = createJobStarts({ workers, random, ask: database.ask, trace, begin, failures, broken });
  const startJob = async (): Promise<boolean> => {
    const isStarted = await takeJob();
    if (isStarted) await scheduler.settle();
    return isStarted;
  };

  misfortunes = createMisfortunes({
    faults,
    random,
    processes,
    serverCount: input.servers,
    workerCount: input.workers,
    scheduler,
    trace,
    begin,
    endSessions: database.endSessions,
    endConnections: network.endConnections,
    readDb: () => runtime.db,
    ask: database.ask,
  });

  const step = async (): Promise<"released" | "passed"> => {
    input.onStep();
    await findLost();
    for (const each of (await commits?.check(clock.isCalm)) ?? []) broken.add(each);
    await misfortunes?.befall();
    // A look for jobs now and then, and always when nothing else can go on.
    if (random.below(looksEvery) === 0 && (await startJob())) return "released";
    if (await scheduler.releaseOne()) {
      await setTime(readMs() + random.below(40) / 100);
      return "released";
    }
    if (await startJob()) return "released";
    const nexts = [
      findNextMs(() => true),
      await findNextJobMs(database.ask),
      (clock.lastBlock + 1) * 1000 + random.below(50),
    ];
    const later = nexts.filter((each) => each !== null).filter((each) => each > readMs());
    const before = readMs();
    await passTo(Math.min(...later, before + blockMs));
    for (const each of await idleQueues.check(readMs() - before)) broken.add(each);
    return "passed";
  };
  const doze = async (): Promise<void> => {
    const own = [await findNextOwnJobMs(database.ask), findNextMs(({ name }) => !name.startsWith("worker"))];
    const next = Math.min(...own.filter((each) => each !== null), readMs() + dozeMs);
    if (next > readMs() + blockMs) await passTo(next);
  };

  const { host, ...runtime } = await processes.startPartners();
  partners = host;
  commits = createCommitOracles(database, runtime.chain);
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
    foreignSent: disturbances.foreignSent,
    replayed: disturbances.replayed,
    get callbacks() {
      return callbacks;
    },
    play,
    rest,
    begin,
    one,
    keep,
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
