/** When the queue's next job is due, and which pools have one now. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { catalogue, type PoolName } from "./catalogue.ts";
import { jobsTable, tasksTable } from "./tables.ts";

export interface DuePools {
  /** Milliseconds until the next job is due that is not due yet. */
  nextMs: number;
  /** The pools of jobs that are due now. */
  pools: ReadonlySet<PoolName>;
}

/** A look reads so many jobs. Where more are near, every pool may have one. */
const jobsMax = 50;

const allPools: ReadonlySet<PoolName> = new Set(keysOf(catalogue).map((task) => catalogue[task].pool));
const poolsOf: ReadonlyMap<string, PoolName> = new Map(keysOf(catalogue).map((task) => [task, catalogue[task].pool]));

/** Reads the jobs that are due within `withinMs`, which is also the longest answer. */
export async function readDuePools(on: Executor, withinMs: number): Promise<DuePools> {
  const tasks = await on.execute<{ task: string; jobs: number; due: number; nextMs: number | null }>(sql`
    with near as (
      select task_id, ceil(extract(epoch from run_at - now()) * 1000)::float8 as ms from ${jobsTable}
      where is_available and run_at <= now() + ${withinMs} * interval '1 millisecond'
      order by run_at limit ${jobsMax})
    select identifier as task, count(*)::int as jobs, (count(*) filter (where ms <= 0))::int as due, min(ms) filter (where ms > 0) as "nextMs"
    from near join ${tasksTable} task on task.id = task_id group by identifier`);
  const due = tasks.filter((each) => each.due > 0);
  const isCut = tasks.reduce((sum, { jobs }) => sum + jobs, 0) === jobsMax;
  return {
    nextMs: Math.min(withinMs, ...tasks.flatMap(({ nextMs }) => nextMs ?? [])),
    pools: isCut && due.length > 0 ? allPools : new Set(due.flatMap(({ task }) => poolsOf.get(task) ?? [])),
  };
}
