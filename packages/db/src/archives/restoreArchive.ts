/** Reads an archive back: its month is a part of the tables again. */
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type postgres from "postgres";
import { buildSessionSetup, mayPauseInTransaction } from "../lostMachine.ts";
import { isLockTimeout } from "../errors.ts";
import { openClient } from "../openClient.ts";
import { listMonths, namePartition } from "../partitions.ts";
import { lockArchives } from "./lockArchives.ts";
import { ArchiveError, type ArchivedTable, type Manifest, readManifest, verifyFile } from "./manifest.ts";

/**
 * How long each try to attach the tables waits for a lock; statements wait behind it. Postgres looks for a deadlock after a
 * second: until then the try has given up its locks, and ends no statement of another.
 */
const lockTimeout = "800ms";
const attachTriesMax = 30;
const attachAgainMs = 2_000;

/**
 * Reads an archive back in one transaction, which checks every reference anew. The files stay.
 *
 * All rows are copied and indexed beside the tables, where nothing waits for them. The last step attaches them.
 *
 * @throws ArchiveError where another run is under way, a file is not as it was written, the month is in the database, or the
 *   tables are in use throughout
 */
export async function restoreArchive(sessionUrl: string, folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const table of manifest.tables) await verifyFile(folder, table);
  // One connection: what it has begun ends with it.
  const client = openClient(sessionUrl, { max: 1, setup: buildSessionSetup(mayPauseInTransaction) });
  try {
    await lockArchives(client);
    await client`begin`;
    for (const table of manifest.tables) await copyTable(client, folder, manifest, table);
    await attachTables(client, manifest);
    await client`commit`;
    return manifest;
  } finally {
    await client.end({ timeout: 5 });
  }
}

async function copyTable(
  client: postgres.Sql,
  folder: string,
  { month }: Manifest,
  { name, columns, rows, file }: ArchivedTable,
): Promise<void> {
  const db = drizzle(client, { casing: "snake_case" });
  const partition = namePartition(name, month);
  if ((await listMonths(db, name)).includes(month)) throw new ArchiveError(`${month} of ${name} is in the database`);
  await db.execute(sql`select begin_month(${name}, ${month})`);
  const list = columns.map((column) => `"${column}"`).join(", ");
  const into = await client.unsafe(`copy "${partition}" (${list}) from stdin`).writable();
  await pipeline(createReadStream(join(folder, file)), createGunzip(), into);
  const [counted] = await client.unsafe<{ count: number }[]>(`select count(*)::int as count from "${partition}"`);
  if (counted?.count !== rows) throw new ArchiveError(`${counted?.count} of ${rows} rows of ${file} were read`);
}

/** Attaches all tables together; gives up the locks, and tries again, where one of them is not to be had. */
async function attachTables(client: postgres.Sql, { month, tables }: Manifest): Promise<void> {
  await client`select set_config('lock_timeout', ${lockTimeout}, true)`;
  for (let tries = 1; ; tries++) {
    await client`savepoint copied`;
    try {
      for (const { name } of tables) await client`select end_month(${name}, ${month})`;
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === attachTriesMax)
        throw new ArchiveError(`The tables of ${month} were in use throughout: run the command again`);
    }
    await client`rollback to savepoint copied`;
    await Bun.sleep(attachAgainMs);
  }
}
