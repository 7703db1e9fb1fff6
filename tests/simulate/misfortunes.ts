/** What befalls the processes of a simulated world: one dies, or is believed dead while it goes on. */
import type { Db } from "@cardkeep/db/client";
import { releasePool } from "@cardkeep/db/queue/liveness";
import type { Faults } from "./faults.ts";
import type { Playing } from "./playing.ts";
import type { Processes } from "./processes.ts";
import type { Process, Scheduler } from "./scheduler.ts";
import type { Stream } from "./seededRandom.ts";
import type { Trace } from "./trace.ts";

export interface Misfortunes {
  /** Is called before each step. */
  befall(): Promise<void>;
}

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

  /** The jobs of a worker are free again, and run a second time beside the first. */
  const mistake = async (): Promise<void> => {
    for (const worker of workers) {
      if (!worker || worker.process.isDead || worker.running.size === 0) continue;
      const { process, poolId, running } = worker;
      if (!faults.drawMistake(process.name)) continue;
      running.clear();
      begin(`release of ${poolId}`, async () => void (await releasePool(input.readDb(), poolId)));
      await scheduler.settle();
    }
  };

  return {
    befall: async () => {
      if (faults.drawCrash()) await crash();
      await mistake();
    },
  };
}
