/**
 * Stop switches.
 *
 * What a switch stops takes the switch's lock shared and then reads it, in two statements: the second sees what was committed
 * before the first got the lock. Who sets a switch takes the lock alone, so nothing that it stops commits after it.
 * Locks of switches come before all row locks.
 */
import { eq, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { stopSwitches } from "../../schema/tables.ts";
import type { StopName } from "../../schema/operators/stops.ts";

export type StopSwitch = typeof stopSwitches.$inferSelect;

/** The key of a switch's advisory lock. */
export const keyOfSwitch = (name: StopName): SQL => sql`hashtextextended(${`cardkeep:stop:${name}`}, 0)`;

/** Holds off a change of the switch until this transaction ends. Others may hold it off too; no row is written. */
export async function holdStopSwitch(tx: Tx, name: StopName): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${keyOfSwitch(name)})`);
}

/** Waits for the transactions that hold the switch, and holds off further ones until this transaction ends. */
export async function lockStopSwitch(tx: Tx, name: StopName): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyOfSwitch(name)})`);
}

/** SQL text of the condition that a part is stopped. */
export const isStoppedText = (name: StopName): string => `exists (select from stop_switches where name = '${name}')`;

/** Condition: a part is stopped. */
export const isStoppedIn = (name: StopName): SQL => sql.raw(isStoppedText(name));

export async function isStopped(on: Executor, name: StopName): Promise<boolean> {
  const [row] = await on.execute<{ stopped: boolean }>(sql`select ${isStoppedIn(name)} as stopped`);
  return row?.stopped === true;
}

/** The parts that are stopped, the longest-standing first. */
export async function listStopped(on: Executor): Promise<StopSwitch[]> {
  return on.select().from(stopSwitches).orderBy(stopSwitches.stoppedAt, stopSwitches.name);
}

export async function findStopSwitch(on: Executor, name: StopName): Promise<StopSwitch | null> {
  const [row] = await on.select().from(stopSwitches).where(eq(stopSwitches.name, name));
  return row ?? null;
}

/** Stops a part; one that is stopped gets the new reason. */
export async function putStopSwitch(tx: Tx, row: typeof stopSwitches.$inferInsert): Promise<void> {
  await tx.insert(stopSwitches).values(row).onConflictDoUpdate({ target: stopSwitches.name, set: row });
}

export async function deleteStopSwitch(tx: Tx, name: StopName): Promise<void> {
  await tx.delete(stopSwitches).where(eq(stopSwitches.name, name));
}
