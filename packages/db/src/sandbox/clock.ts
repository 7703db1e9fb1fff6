/** How far the sandbox has moved the service's clock. */
import { sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { movedClock } from "./tables.ts";

const theClock = 1;

/** Seconds that the service's clock was ahead of the wall clock at the newest move; 0 until it was ever moved. */
export async function findMovedClock(on: Executor): Promise<number> {
  const [row] = await on.select({ offsetSeconds: movedClock.offsetSeconds }).from(movedClock).limit(1);
  return Number(row?.offsetSeconds ?? 0n);
}

/** Records a move of the clock. An earlier one changes nothing. */
export async function recordMovedClock(on: Executor, seconds: number): Promise<void> {
  await on
    .insert(movedClock)
    .values({ id: theClock, offsetSeconds: BigInt(seconds) })
    .onConflictDoUpdate({
      target: movedClock.id,
      set: { offsetSeconds: sql`greatest(${movedClock.offsetSeconds}, excluded.offset_seconds)` },
    });
}
