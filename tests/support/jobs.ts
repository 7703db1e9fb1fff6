import { dayMs } from "@cardkeep/contract/core/durations";
import { endlessTasks, type Jobs, type Task } from "@cardkeep/db/queue/catalogue";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { sql } from "drizzle-orm";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";

/** Waits until no job is due or runs, except those that always come again. */
export const untilIdle = ({ runtime: { db } }: RunningService): Promise<void> =>
  until(async () => {
    const [row] = await db.execute<{ count: number }>(sql`
      select count(*)::int as count from graphile_worker.jobs
      where (run_at <= now() or locked_at is not null)
        and task_identifier not in ${endlessTasks}`);
    return row?.count === 0;
  });

/**
 * Adds the job of a row that a test is about to insert, a day away. A row of open work without a job gets one that is due at once: a
 * chore looks for such rows every ten seconds.
 */
export const holdJob = <T extends Task>({ runtime }: RunningService, task: T, payload: Jobs[T]): Promise<void> =>
  enqueue(runtime.db, task, payload, dayMs);
