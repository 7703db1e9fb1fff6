/** Whether the disk of the database is full, once a request failed because of it. */
import { isDatabaseUnavailable, isDiskFull } from "@cardkeep/db/errors";
import type { Db } from "@cardkeep/db/client";
import { probeDiskSpace } from "@cardkeep/db/queries/operations/health";

/** In this process: a probe at each health check would let everybody write to the disk. */
let isSuspected = false;

/** Records an error of a request: after a full disk (SQLSTATE 53100) the health check probes the disk. */
export function observeDiskError(error: unknown): void {
  if (isDiskFull(error)) isSuspected = true;
}

/** Whether a write of about 1 MB still fails. Without an earlier failure it asks nothing. */
export async function findFullDisk(db: Db): Promise<boolean> {
  if (!isSuspected) return false;
  try {
    await probeDiskSpace(db);
    isSuspected = false;
    return false;
  } catch (error) {
    if (isDiskFull(error)) return true;
    if (isDatabaseUnavailable(error)) throw error;
    // A role without temporary tables cannot probe; its next failed write reports the disk again.
    isSuspected = false;
    return false;
  }
}
