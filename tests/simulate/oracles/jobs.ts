/** What must hold of jobs at each quiet point: none is given up, and none fails by a fault of the program. */
import type { Reign } from "./oracles.ts";

export async function findGivenUp({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ task: string; error: string | null }[]>`
    select t.identifier as task, j.last_error as error from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where not j.is_available and j.locked_at is null and j.key is not null`;
  return rows.map(({ task, error }) => `a job of ${task} was given up: ${error}`);
}

export const findFailedJobs = async ({ world: { failures } }: Reign): Promise<string[]> =>
  [...failures].filter(([, error]) => isOfProgram(error)).map(([job, error]) => `${job} failed: ${error}`);

/** A job that fails because a part is away, or a connection was lost, is tried again; each other failure is a fault of the program. */
export const isOfProgram = (error: string): boolean =>
  !/Unavailable|unavailable|ChainReorganised|socket connection was closed/.test(error);
