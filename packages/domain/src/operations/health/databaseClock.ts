/** The database's clock against this machine's. */
import type { Db } from "@cardkeep/db/client";
import { readDatabaseTime } from "@cardkeep/db/queries/operations/health";

/** More than network and block time explain. */
export const skewSecondsMax = 60;

/** How far the database's clock is ahead of this machine's, in milliseconds; below 0 where it is behind. */
export async function measureSkewMs(db: Db): Promise<number> {
  const askedAt = Date.now();
  const answered = await readDatabaseTime(db);
  return answered.getTime() - (askedAt + Date.now()) / 2;
}
