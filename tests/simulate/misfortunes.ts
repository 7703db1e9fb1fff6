/** What befalls the processes of a simulated world: one dies, or is believed dead while it goes on. */
import type { Db } from "@cardkeep/db/client";
import { releasePool } from "@cardkeep/db/queue/liveness";
import type { Faults } from "./faults.ts";
import type { Playing } from "./playing.ts";
import type { Processes } from "./processes.ts";
import type { Process, Scheduler, SchedulerInput } from "./scheduler.ts";
import type { Stream } from "./seededRandom.ts";
import type { Trace } from "./trace.ts";
import type { WorldDatabase } from "./worldDatabase.ts";

export interface Misfortunes {
  /** The keys of the jobs that ran twice. One that looks for a next job sees itself, freed, and ends it: the search finds what is lost so. */
  readonly freed: ReadonlySet<string>;
  /** Whether an actor stands still at a message. */
  readonly drawStall: SchedulerInput["drawStall"];
  /** Is called before each step. */
  befall(): Promise<void>;
}

/** Steps. */
const mistakeEvery = 500;

export function createMisfortunes(input: {
  faults: Faults;
  random: Stream;
  processes: Processes;
  serverCount: number;
  workerCount: number;
  scheduler: Scheduler;
  trace: Trace;
  begin: Playing["begin"];
  endSessions(name: string): Promise<void>;
  endConnections(process: Process): void;
  /** Of the service. */
  readDb(): Db;
  ask: WorldDatabase["ask"];
}): Misfortunes {
  const { faults, random, processes, serverCount, scheduler, trace, begin } = input;
  const { servers, workers } = processes;

  /** A server or a worker dies, and another one starts in its place. */
  const crash = async (): Promise<void> => {
    const place = 1 + random.below(serverCount + input.workerCount);
    const isServer = place <= serverCount;
    const worker = workers[place - serverCount];
    const dying = isServer ? servers[place]?.process : worker?.process;
    // A worker that starts has not taken its place yet.
    if (!dying || dying.isDead) return;
    trace.tell("world", `${dying.name} dies`);
    await processes.kill(dying, input.endSessions);
    input.endConnections(dying);
    if (isServer) await processes.startServer(place);
    else begin(`start of worker-${place - serverCount}`, () => processes.startWorker(place - serverCount));
    await scheduler.settle();
  };

  const freed = new Set<string>();
  /** Of workers, since the last step. */
  const still = new Set<object>();
  /** When a worker was last believed dead: its jobs would pile up if it was again before they ran. */
  const mistaken = new Map<object, number>();

  /** The jobs of a worker are free again, and run a second time beside the first. */
  const mistake = async (): Promise<void> => {
    for (const worker of workers) {
      if (!worker || worker.process.isDead || worker.running.size === 0) continue;
      const { process, poolId, running } = worker;
      if (scheduler.count < (mistaken.get(process) ?? -mistakeEvery) + mistakeEvery) continue;
      if (!faults.drawMistake(process.name, still.has(process))) continue;
      mistaken.set(process, scheduler.count);
      running.clear();
      const rows = await input.ask<{ key: string }[]>`
        select key from graphile_worker._private_jobs where locked_by = ${poolId} and key is not null order by id`;
      for (const { key } of rows) freed.add(key);
      begin(`release of ${poolId}`, async () => {
        await releasePool(input.readDb(), poolId);
        // What it took since then is free, too.
        const others = await input.ask<{ key: string }[]>`
          select key from graphile_worker._private_jobs where id = any(${[...running]}::bigint[]) and key is not null order by id`;
        for (const { key } of others) freed.add(key);
      });
      await scheduler.settle();
    }
    still.clear();
  };

  return {
    freed,
    drawStall: ({ name, process }, { kind, text }) => {
      const stall = faults.drawStall(name, kind === "sql" && text === "begin");
      if (stall) still.add(process);
      return stall;
    },
    befall: async () => {
      if (faults.drawCrash()) await crash();
      await mistake();
    },
  };
}
