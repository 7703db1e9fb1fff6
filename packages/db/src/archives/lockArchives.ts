import type postgres from "postgres";
import { isLockTimeout } from "../errors.ts";
import { ArchiveError } from "./manifest.ts";

/** Above what Postgres takes to end the connection of a run that is over. */
const lockTimeout = "2s";

/**
 * Takes the one place for a run that moves months, until the connection ends.
 *
 * @throws ArchiveError where another run has it
 */
export async function lockArchives(client: postgres.Sql): Promise<void> {
  await client`begin`;
  await client`select set_config('lock_timeout', ${lockTimeout}, true)`;
  try {
    await client`select pg_advisory_lock(hashtextextended('cardkeep:archives', 0))`;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new ArchiveError("Another run archives or restores months: run the command again when it has ended");
  }
  await client`commit`;
}
