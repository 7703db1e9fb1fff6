/** Reads an archive back: its month is a part of the tables again. */
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type postgres from "postgres";
import { openClient } from "../openClient.ts";
import { listMonths, namePartition } from "../partitions.ts";
import { ArchiveError, type ArchivedTable, type Manifest, readManifest, verifyFile } from "./manifest.ts";

/**
 * Reads an archive back in one transaction, which checks every reference anew. The files stay.
 *
 * @throws ArchiveError where a file is not as it was written, or the month is in the database
 */
export async function restoreArchive(sessionUrl: string, folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const table of manifest.tables) await verifyFile(folder, table);
  // One connection: what it has begun ends with it.
  const client = openClient(sessionUrl, { max: 1 });
  try {
    await client`select pg_advisory_lock(hashtextextended('cardkeep:archives', 0))`;
    await client`begin`;
    for (const table of manifest.tables) await restoreTable(client, folder, manifest, table);
    await client`commit`;
    return manifest;
  } finally {
    await client.end({ timeout: 5 });
  }
}

async function restoreTable(
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
  await db.execute(sql`select end_month(${name}, ${month})`);
}
