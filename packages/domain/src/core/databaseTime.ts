/** The database's time beside this machine's: the clocks of machines differ, and the database's is one for all. */
import { readDatabaseTime } from "@cardkeep/db/queries/operations/health";
import { secondMs } from "@cardkeep/contract/core/durations";
import type { Executor } from "@cardkeep/db/client";
import type { Services } from "./services.ts";

/**
 * The service's time by this machine or by the database, whichever is earlier. By it a machine that
 * is ahead deletes nothing too early, and passes over nothing.
 */
export async function readEarlierTime({ db, clock }: Pick<Services, "db" | "clock">): Promise<Date> {
  const [own, shared] = await Promise.all([clock.now(db), readSharedTime({ clock }, db)]);
  return new Date(Math.min(own.getTime(), shared.getTime()));
}

/** The service's time by the database. */
export async function readSharedTime({ clock }: Pick<Services, "clock">, on: Executor): Promise<Date> {
  const [offsetSeconds, database] = await Promise.all([clock.getOffsetSeconds(on), readDatabaseTime(on)]);
  return new Date(database.getTime() + offsetSeconds * secondMs);
}
