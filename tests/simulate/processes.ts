/** The servers, workers and partners of a simulated world: each may die at any release, and another one starts in its place. */
import { announcePools } from "@cardkeep/db/queue/liveness";
import { insertChores } from "@cardkeep/db/queries/operations/chores";
import { publishCardKey } from "@cardkeep/domain/cards/cards/openEnvelope";
import { watchedNames } from "@cardkeep/domain/operations/housekeeping/chores";
import { createRuntime } from "@cardkeep/runtime/compose";
import type { Settings } from "@cardkeep/runtime/settings";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { createSandbox } from "@cardkeep/sandbox/app";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { createServer } from "@cardkeep/server/server";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { startChores } from "@cardkeep/worker/chores";
import { createTasks } from "@cardkeep/worker/tasks";
import type { Sql } from "postgres";
import type { CurrentWorld } from "./current.ts";
import type { JobRun } from "./jobs.ts";
import type { Host } from "./network.ts";
import type { Process, Scheduler } from "./scheduler.ts";
import openHeld from "./seams/postgres.ts";

export interface WorkerPart extends Pick<JobRun, "queue" | "poolId" | "tasks"> {
  readonly process: Process;
  /** The ids of its jobs. */
  readonly running: Set<string>;
}

export interface Processes {
  readonly servers: readonly Host[];
  readonly workers: readonly WorkerPart[];
  readonly building: Process;
  readonly noteClient: CurrentWorld["noteClient"];
  startPartners(): Promise<SandboxRuntime & { host: Host }>;
  startServer(place: number): Promise<void>;
  startWorker(place: number): Promise<void>;
  /** Ends a process as a lost machine does: its memory and its connections are gone. */
  kill(process: Process, endSessions: (name: string) => Promise<void>): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** @param outside the process of the world itself @param hasChores whether the worker of a place does chores beside its jobs */
export function createProcesses(
  settings: Settings,
  { scheduler, outside, hasChores }: { scheduler: Scheduler; outside: Process; hasChores(place: number): boolean },
): Processes {
  const servers: Host[] = [];
  const workers: WorkerPart[] = [];
  const clients = new Map<Process, Sql[]>();
  let building = outside;
  let made = 0;
  const begin = (kind: string): Process => ({ name: `${kind}.${++made}`, isDead: false });
  /** Clients that are opened meanwhile belong to a process. */
  const build = async <T>(process: Process, make: () => Promise<T>): Promise<T> => {
    building = process;
    return make().finally(() => (building = outside));
  };
  const closeAll = async (list: readonly Sql[]): Promise<void> => {
    await Promise.all(list.map((client) => client.end({ timeout: 0 })));
  };
  return {
    servers,
    workers,
    get building() {
      return building;
    },
    noteClient: (client) => void clients.set(building, [...(clients.get(building) ?? []), client]),
    startPartners: async () => {
      const process = begin("partners");
      const runtime = openStore(await build(process, () => createRuntime(settings, "sandbox")));
      const sandbox = createSandbox(runtime);
      return { ...runtime, host: { process, name: "partners", handle: (request) => sandbox.fetch(request) } };
    },
    startServer: async (place) => {
      const process = begin(`server-${place}`);
      const server = createServer(await build(process, () => createRuntime(settings, "server")));
      servers[place] = { process, name: process.name, handle: (request) => server.handle(request) };
    },
    startWorker: async (place) => {
      const process = begin(`worker-${place}`);
      const poolId = `pool of ${process.name}`;
      const url = settings.databaseUrl ?? "";
      const runtime = await build(process, () => createRuntime(settings, "worker"));
      const queue = await build(process, async () => openHeld(url, { fetch_types: false }));
      const keys = createWorkerKeys(settings, () => {});
      await publishCardKey(runtime.services, keys.cardKeys);
      await insertChores(runtime.db, watchedNames);
      building = process;
      const announced = announcePools(url, [poolId], process.name);
      building = outside;
      await announced;
      const tasks = createTasks(runtime, { ...keys, workerId: process.name, stopping: new AbortController().signal });
      workers[place] = { process, queue, poolId, tasks, running: new Set() };
      if (!hasChores(place)) return;
      await scheduler.run({ name: `${process.name} chores`, process }, async () => {
        startChores(runtime, { workerId: process.name, detectRestore: createRestoreDetector(), ...keys });
      });
    },
    kill: async (process, endSessions) => {
      process.isDead = true;
      await endSessions(process.name);
      await closeAll(clients.get(process) ?? []);
      clients.delete(process);
    },
    close: () => closeAll([...clients.values()].flat()),
  };
}
