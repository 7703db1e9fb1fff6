/** The queue's tables and the indexes that this service adds to them. */
import { runMigrations } from "graphile-worker";
import type postgres from "postgres";
import { createQueuePool } from "./pool.ts";

/** Application name of the sessions of a migration. */
export const migrateName = "cardkeep-migrate";

/** Applies the queue's migrations, then adds our indexes; a second run changes nothing. */
export async function migrateQueue(client: postgres.Sql, sessionUrl: string): Promise<void> {
  const pgPool = createQueuePool({
    url: sessionUrl,
    applicationName: migrateName,
    connectionsMax: 1,
    // A lost connection also rejects the query that runs on it.
    onError: () => {},
  });
  try {
    await runMigrations({ pgPool });
  } finally {
    await pgPool.end();
  }
  // After each run, because the queue's migrations may make its table anew. Few among many: jobs that run or failed, and
  // those that are due, which its own index has by priority first.
  await client`create index if not exists jobs_unavailable on graphile_worker._private_jobs (locked_by) where not is_available`;
  await client`create index if not exists jobs_due on graphile_worker._private_jobs (run_at) where is_available`;
  // Jobs that failed at least once, by their request. A job that succeeds is never written to it.
  await client`create index if not exists jobs_request on graphile_worker._private_jobs ((payload ->> 'requestId'))
    where last_error is not null`;
}
