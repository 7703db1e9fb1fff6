/**
 * Moves months of final rows out of the database, into files.
 *
 * A month is copied, read back and only then dropped, in one transaction. A run that dies leaves every row in the database;
 * the next run writes the same files again.
 */
import { drizzle } from "drizzle-orm/postgres-js";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type postgres from "postgres";
import { mayPauseInTransaction } from "../lostMachine.ts";
import { openSession } from "../openSession.ts";
import { addMonths, describeMonth, listMonths, type Month, monthOf } from "../partitions.ts";
import { families, type FamilyName, familyNames, hasOpenRows } from "./families.ts";
import { listUnmadeStatements } from "./listUnmadeStatements.ts";
import { lockArchives } from "./lockArchives.ts";
import { ArchiveError, type ArchivedTable, type Manifest, manifestName, readManifest, verifyFile } from "./manifest.ts";
import { takeTables } from "./takeTables.ts";

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

/**
 * Archives every month that ended more than `months` months before `now`, or more than its family's least, and whose rows
 * are all final. `onMonth` is awaited
 * before a month is archived. With the time zone of statements, a month stays while statements of it are not made.
 *
 * @throws ArchiveError where another run is under way, other rows are in the folder, the files cannot be read back, or the
 *   tables are in use throughout; the rows then stay in the database
 */
export async function archiveMonths(
  sessionUrl: string,
  {
    months,
    folder,
    now,
    statementZone = null,
    onMonth = () => {},
  }: {
    months: number;
    folder: string;
    now: Date;
    statementZone?: string | null;
    onMonth?: (family: FamilyName, month: Month) => void | Promise<void>;
  },
): Promise<MonthOutcome[]> {
  // One connection: what it has begun ends with it.
  const client = openSession(sessionUrl, { applicationName: "cardkeep-archive", setup: [mayPauseInTransaction] });
  const db = drizzle(client, { casing: "snake_case" });
  const outcomes: MonthOutcome[] = [];
  try {
    await lockArchives(client);
    const before = addMonths(monthOf(now), -months);
    for (const family of familyNames) {
      const { tables, monthsMin, whyYoung } = families[family];
      const all = await listMonths(db, tables[0]);
      for (const month of all.filter((one) => one < before)) {
        if (month >= addMonths(monthOf(now), -monthsMin)) {
          outcomes.push(buildStay(family, month, whyYoung));
          continue;
        }
        await onMonth(family, month);
        await client`begin`;
        outcomes.push(await archiveMonth(client, family, month, { folder, now, statementZone }));
        await client`commit`;
      }
    }
    return outcomes;
  } finally {
    await client.end({ timeout: 5 });
  }
}

const buildStay = (family: FamilyName, month: Month, reason: string): MonthOutcome => ({
  family,
  month,
  rows: 0,
  folder: null,
  reason,
});

/** How long each lock of a read is waited for. */
const lockTimeout = "2s";

/** In a transaction of the caller, which locks the month's rows against changes until its end. */
async function archiveMonth(
  client: postgres.Sql,
  family: FamilyName,
  month: Month,
  { folder, now, statementZone: zone }: { folder: string; now: Date; statementZone: string | null },
): Promise<MonthOutcome> {
  const { tables: names } = families[family];
  const lockMonth = names.map((name) => () => client`select lock_month(${name}, ${month})`);
  await takeTables(client, month, lockMonth);
  await client`select set_config('lock_timeout', ${lockTimeout}, true)`;
  const db = drizzle(client, { casing: "snake_case" });
  const stay = (reason: string) => buildStay(family, month, reason);
  if (await hasOpenRows(db, family, month)) return stay("some of its rows are not final");
  if (family === "payments" && zone !== null && (await listUnmadeStatements(db, { month, zone, limit: 1 })).length > 0)
    return stay("statements that it counts in are not made");
  const target = join(folder, `${family}-${month}`);
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const tables: ArchivedTable[] = [];
  for (const name of names) tables.push(await copyTable(client, partial, { name, month }));
  const manifest: Manifest = { format: 1, family, month, archivedAt: now.toISOString(), tables };
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  for (const table of tables) await verifyFile(partial, table);
  await rename(partial, target).catch(() => takeFinished(partial, target, manifest));
  // In the order in which the service uses them. The last one is locked by its drop, which comes first.
  const lock = names.slice(0, -1).map((name) => () => client`lock table only ${client(name)} in access exclusive mode`);
  // What refers to a row goes before the row: Postgres checks each reference to a partition that is detached.
  const drop = names.toReversed().map((name) => () => client`select drop_month(${name}, ${month})`);
  await takeTables(client, month, [...lock, ...drop]);
  return { family, month, rows: tables.reduce((sum, { rows }) => sum + rows, 0), folder: target, reason: null };
}

/** An earlier run may have died between the files and the commit: what it wrote is the same. */
async function takeFinished(partial: string, target: string, { tables }: Manifest): Promise<void> {
  const written = await readManifest(target);
  if (JSON.stringify(written.tables) === JSON.stringify(tables)) return rm(partial, { recursive: true });
  throw new ArchiveError(`${target} holds other rows: move it away, and run the command again`);
}

/** Copies the rows of one partition to a file, and compares their number with the table's. */
async function copyTable(
  client: postgres.Sql,
  folder: string,
  { name, month }: { name: ArchivedTable["name"]; month: Month },
): Promise<ArchivedTable> {
  const within = describeMonth(name, month);
  const columns = await client<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped order by attnum`;
  const list = columns.map((column) => `"${column.name}"`).join(", ");
  const file = `${name}.copy.gz`;
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const rows = await client.unsafe(`copy (select ${list} from ${within}) to stdout`).readable();
  await pipeline(rows, createGzip(), hashing, createWriteStream(join(folder, file), { mode: 0o600 }));
  const handle = await open(join(folder, file), "r+");
  await handle.sync();
  await handle.close();
  const [counted] = await client.unsafe<{ count: number }[]>(`select count(*)::int as count from ${within}`);
  return {
    name,
    columns: columns.map((column) => column.name),
    rows: counted?.count ?? -1,
    file,
    sha256: hash.digest("hex"),
  };
}
