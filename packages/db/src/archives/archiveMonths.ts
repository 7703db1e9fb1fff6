/**
 * Moves months of final rows out of the database, into files.
 *
 * A month is detached in a short transaction, copied, read back, and only then dropped. A run that dies leaves a detached
 * table, which the next run copies again.
 */
import { drizzle } from "drizzle-orm/postgres-js";
import { sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type postgres from "postgres";
import type { Db } from "../client.ts";
import { openClient } from "../openClient.ts";
import { addMonths, listDetachedMonths, listMonths, type Month, monthOf, namePartition } from "../partitions.ts";
import * as schema from "../schema/tables.ts";
import { families, type FamilyName, familyNames, hasOpenRows } from "./families.ts";
import { ArchiveError, type ArchivedTable, type Manifest, manifestName, readManifest, verifyFile } from "./manifest.ts";

/** What became of one month of one family. */
export interface MonthOutcome {
  family: FamilyName;
  month: Month;
  rows: number;
  /** The archive's folder; null where the month stays. */
  folder: string | null;
  /** Why the month stays. */
  reason: string | null;
}

type Executing = Pick<Db, "execute" | "transaction">;

/**
 * Archives every month that ended more than `months` months before `now`, and whose rows are all final.
 *
 * @throws ArchiveError where an archive of the same name exists, or cannot be read back; the rows then stay in the database
 */
export async function archiveMonths(
  sessionUrl: string,
  { months, folder, now }: { months: number; folder: string; now: Date },
): Promise<MonthOutcome[]> {
  const client = openClient(sessionUrl, { max: 1 });
  const db = drizzle(client, { schema, casing: "snake_case" });
  const outcomes: MonthOutcome[] = [];
  try {
    await client`select pg_advisory_lock(hashtextextended('cardkeep:archives', 0))`;
    const before = addMonths(monthOf(now), -months);
    for (const family of familyNames) {
      const [parent] = families[family].tables;
      const detached = await listDetachedMonths(db, parent);
      const all = [...new Set([...detached, ...(await listMonths(db, parent))])].toSorted();
      for (const month of all.filter((one) => one < before)) {
        if (!detached.includes(month) && (await hasOpenRows(db, family, month))) {
          outcomes.push({ family, month, rows: 0, folder: null, reason: "some of its rows are not final" });
          continue;
        }
        await detachMonth(db, family, month);
        outcomes.push(await archiveMonth(client, family, month, { folder, now }));
      }
    }
    return outcomes;
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** How long the transaction that detaches a month may wait for its locks; statements wait behind it. */
const lockTimeout = "2s";

/** Makes tables of a month's partitions; nothing where they are tables already. */
async function detachMonth(db: Executing, family: FamilyName, month: Month): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('lock_timeout', ${lockTimeout}, true)`);
    for (const table of families[family].tables.toReversed()) {
      if (!(await listMonths(tx, table)).includes(month)) continue;
      const name = namePartition(table, month);
      await tx.execute(sql`alter table ${sql.identifier(table)} detach partition ${sql.identifier(name)}`);
      const references = await tx.execute<{ name: string }>(sql`
        select conname as name from pg_constraint where contype = 'f' and conrelid = ${name}::regclass and conparentid = 0`);
      for (const reference of references)
        await tx.execute(sql`alter table ${sql.identifier(name)} drop constraint ${sql.identifier(reference.name)}`);
    }
    // Read behind the locks: what was final may have changed until they were taken.
    if (await hasDetachedOpenRows(tx, family, month)) throw new ArchiveError(`Rows of ${month} changed: try again`);
  });
}

/** Payments of a detached month are read from the detached tables. */
async function hasDetachedOpenRows(on: Pick<Db, "execute">, family: FamilyName, month: Month): Promise<boolean> {
  if (family === "relay") return hasOpenRows(on, family, month);
  const [payments, transfers] = (["card_payments", "card_transfers"] as const).map((table) =>
    sql.identifier(namePartition(table, month)),
  );
  const [row] = await on.execute<{ open: boolean }>(sql`
    select exists (select from ${payments} where status in ('REQUESTED', 'AUTHORIZED') or owed > 0)
      or exists (select from ${transfers} where status in ('PLANNED', 'SIGNED')) as open`);
  return row?.open ?? true;
}

async function archiveMonth(
  client: postgres.Sql,
  family: FamilyName,
  month: Month,
  { folder, now }: { folder: string; now: Date },
): Promise<MonthOutcome> {
  const target = join(folder, `${family}-${month}`);
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const tables: ArchivedTable[] = [];
  for (const name of families[family].tables) tables.push(await copyTable(client, partial, { name, month }));
  const manifest: Manifest = { format: 1, family, month, archivedAt: now.toISOString(), tables };
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  for (const table of tables) await verifyFile(partial, table);
  await rename(partial, target).catch(() => takeFinished(partial, target, manifest));
  await client.begin(async (tx) => {
    for (const name of families[family].tables.toReversed()) await tx`drop table ${tx(namePartition(name, month))}`;
  });
  return { family, month, rows: tables.reduce((sum, { rows }) => sum + rows, 0), folder: target, reason: null };
}

/** An earlier run may have died between the files and the tables: what it wrote is the same. */
async function takeFinished(partial: string, target: string, { tables }: Manifest): Promise<void> {
  const written = await readManifest(target);
  if (JSON.stringify(written.tables) === JSON.stringify(tables)) return rm(partial, { recursive: true });
  throw new ArchiveError(`${target} holds other rows: move it away, and run the command again`);
}

/** Copies one detached table to a file, and compares the number of rows with the table's. */
async function copyTable(
  client: postgres.Sql,
  folder: string,
  { name, month }: { name: ArchivedTable["name"]; month: Month },
): Promise<ArchivedTable> {
  const table = namePartition(name, month);
  const columns = await client<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`;
  const list = columns.map((column) => `"${column.name}"`).join(", ");
  const file = `${name}.copy.gz`;
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const rows = await client.unsafe(`copy (select ${list} from "${table}") to stdout`).readable();
  await pipeline(rows, createGzip(), hashing, createWriteStream(join(folder, file), { mode: 0o600 }));
  const handle = await open(join(folder, file), "r+");
  await handle.sync();
  await handle.close();
  const [counted] = await client.unsafe<{ count: number }[]>(`select count(*)::int as count from "${table}"`);
  return {
    name,
    columns: columns.map((column) => column.name),
    rows: counted?.count ?? -1,
    file,
    sha256: hash.digest("hex"),
  };
}
