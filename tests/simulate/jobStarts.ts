/** The workers of a simulated world take due jobs, in the order of its seed. */
import { catalogue } from "@cardkeep/db/queue/catalogue";
import type postgres from "postgres";
import { isOfProgram } from "./oracles/jobs.ts";
import { say } from "./oracles/names.ts";
import { listDueJobs, runJob } from "./jobs.ts";
import type { Playing } from "./playing.ts";
import type { WorkerPart } from "./processes.ts";
import type { Stream } from "./seededRandom.ts";
import type { Trace } from "./trace.ts";

const jobsAtOnce = 8;

export function createJobStarts(input: {
  workers: readonly WorkerPart[];
  random: Stream;
  ask: postgres.Sql;
  trace: Trace;
  begin: Playing["begin"];
  /** The last failure of each job. */
  failures: Map<string, string>;
  /** What broke, in words. */
  broken: Set<string>;
}): () => Promise<boolean> {
  const { workers, random, failures, broken } = input;
  let jobsSeen = 0;
  /** A free worker takes one of the due jobs; false where there is none. */
  return async () => {
    const living = workers.filter((worker) => worker !== undefined && !worker.process.isDead);
    const free = living.filter(({ running }) => running.size < jobsAtOnce);
    if (free.length === 0) return false;
    const running = new Set(living.flatMap((each) => [...each.running]));
    const due = (await listDueJobs(input.ask)).filter(({ id }) => !running.has(id));
    const job = due[random.below(Math.max(1, due.length))];
    const worker = free[random.below(free.length)];
    if (!job || !worker) return false;
    worker.running.add(job.id);
    const name = job.key || job.task;
    input.trace.note(worker.process.name, { kind: "job", text: name }, null);
    const onFailure = (error: unknown): void => {
      failures.set(name, String(error));
      // A later failure of the same job would hide it until the quiet point.
      if (isOfProgram(String(error))) broken.add(say("failed jobs", `${name} failed: ${String(error)}`));
    };
    const run = { ...worker, pool: catalogue[job.task].pool, onFailure };
    const work = () => runJob(job, run).finally(() => worker.running.delete(job.id));
    input.begin(`${worker.process.name} ${name} #${++jobsSeen}`, work, worker.process);
    return true;
  };
}
