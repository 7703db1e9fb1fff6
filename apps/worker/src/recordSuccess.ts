import type { Db } from "@cardkeep/db/client";
import { recordChoreSuccess } from "@cardkeep/db/queries/operations/chores";

/** A chore may run every 20 ms. Its success is written to the database at most this often. */
const recordEveryMs = 15_000;

/** Records that this worker did a chore, or a job that the whole service needs, by its name. */
export function createSuccessRecord(db: Db, workerId: string): (name: string) => Promise<void> {
  const recordedAtMs = new Map<string, number>();
  return async (name) => {
    const nowMs = performance.now();
    if (nowMs - (recordedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < recordEveryMs) return;
    await recordChoreSuccess(db, name, workerId);
    recordedAtMs.set(name, nowMs);
  };
}
