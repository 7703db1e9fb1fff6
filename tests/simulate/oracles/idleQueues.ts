/** A queue that no running job holds is freed soon: else each job behind it waits for ever. */
import type postgres from "postgres";
import { say } from "./names.ts";

/** Of played time: a chore looks each second. */
const idleMsMax = 30_000;

export interface IdleQueues {
  /** So much time has passed, in which jobs could run. */
  check(passedMs: number): Promise<string[]>;
}

export function createIdleQueues(ask: postgres.Sql): IdleQueues {
  const idle = new Map<string, number>();
  return {
    check: async (passedMs) => {
      const rows = await ask<{ key: string; name: string }[]>`
        select q.queue_name || ' ' || q.locked_at as key, q.queue_name as name from graphile_worker._private_job_queues q
        where q.locked_at is not null and not exists (
          select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_at is not null) order by 1`;
      const keys = new Set(rows.map(({ key }) => key));
      for (const key of idle.keys()) if (!keys.has(key)) idle.delete(key);
      for (const key of keys) idle.set(key, (idle.get(key) ?? -passedMs) + passedMs);
      return rows
        .filter(({ key }) => (idle.get(key) ?? 0) > idleMsMax)
        .map(({ name }) => say("rest", `queue ${name} stood still for ${idleMsMax / 1000} s, and no job of it ran`));
    },
  };
}
