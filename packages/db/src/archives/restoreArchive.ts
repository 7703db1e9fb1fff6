/** Reads an archive back: its month is a part of the tables again. */
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type postgres from "postgres";
import { mayPauseInTransaction } from "../lostMachine.ts";
import { openSession } from "../openSession.ts";
import { listMonths, namePartition } from "../partitions.ts";
import { lockArchives } from "./lockArchives.ts";
import { ArchiveError, type ArchivedTable, type Manifest, readManifest, verifyFile } from "./manifest.ts";
import { takeTables } from "./takeTables.ts";

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
  const client = openSession(sessionUrl, { applicationName: "cardkeep-restore", setup: [mayPauseInTransaction] });
  try {
    await lockArchives(client);
    await client`begin`;
    for (const table of manifest.tables) await copyTable(client, folder, manifest, table);
    const { month, tables } = manifest;
    const attach = tables.map(
      ({ name }) =>
        () =>
          client`select end_month(${name}, ${month})`,
    );
    await takeTables(client, month, attach);
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
