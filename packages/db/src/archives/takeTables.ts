import type postgres from "postgres";
import { isLockTimeout } from "../errors.ts";
import type { Month } from "../partitions.ts";
import { ArchiveError } from "./manifest.ts";

/**
 * How long a try waits for all its locks together; statements wait behind them. Postgres looks for a deadlock after a second:
 * until then the try has given up its locks, and ends no statement of another.
 */
const lockMsMax = 800;
const triesMax = 30;
const againMs = 2_000;

/**
 * Runs steps that lock tables, in the caller's transaction: all of them, or none and again where a lock is not to be had.
 *
 * `lock_timeout` stays as the last step needed it.
 *
 * @throws ArchiveError where the tables are in use throughout
 */
export async function takeTables(
  client: postgres.Sql,
  month: Month,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client`savepoint untaken`;
    const endMs = performance.now() + lockMsMax;
    try {
      for (const step of steps) {
        const leftMs = Math.max(1, Math.round(endMs - performance.now()));
        await client`select set_config('lock_timeout', ${`${leftMs}ms`}, true)`;
        await step();
      }
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === triesMax)
        throw new ArchiveError(`The tables of ${month} were in use throughout: run the command again`);
    }
    await client`rollback to savepoint untaken`;
    await Bun.sleep(againMs);
  }
}
