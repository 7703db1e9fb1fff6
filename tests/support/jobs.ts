import { endlessTasks } from "@cardkeep/db/queue/catalogue";
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
