/** The sandbox's clock: how far the service's time is ahead of the wall clock, and how it advances. */
import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { advanceJobs } from "../../queue/reschedule.ts";
import { prepareRow } from "../../rows.ts";
import { clock } from "../../schema/tables.ts";

const theClock = 1;

/** Seconds the service is ahead of the wall clock; 0 until it was ever advanced. */
export async function getClockOffsetSeconds(on: Executor): Promise<number> {
  const row = await readClock(on, {});
  return Number(row?.offsetSeconds ?? 0n);
}

// Both are asked for each request and each commit.
const readClock = prepareRow(clock, sql`where ${clock.id} = ${theClock}`);
const holdClock = prepareRow(clock, sql`where ${clock.id} = ${theClock} for share`);

/** The same, and locks the clock until the transaction ends: an advance then moves the jobs that the transaction adds, too. */
export async function holdClockOffsetSeconds(tx: Tx): Promise<number> {
  const row = await holdClock(tx, {});
  return Number(row?.offsetSeconds ?? 0n);
}

/** Makes the row that is held and moved. */
export async function insertClock(on: Executor): Promise<void> {
  await on.insert(clock).values({ id: theClock, offsetSeconds: 0n }).onConflictDoNothing();
}

/**
 * Moves the service's time ahead and answers the new offset in seconds: waiting jobs come as much nearer.
 *
 * The clock's row stays locked until the transaction ends, so two advances add up.
 */
export async function advanceClock(tx: Tx, seconds: number): Promise<number> {
  const [row] = await tx
    .insert(clock)
    .values({ id: theClock, offsetSeconds: BigInt(seconds) })
    .onConflictDoUpdate({ target: clock.id, set: { offsetSeconds: sql`${clock.offsetSeconds} + ${seconds}` } })
    .returning({ offsetSeconds: clock.offsetSeconds });
  await advanceJobs(tx, seconds);
  return Number(row?.offsetSeconds ?? 0n);
}
