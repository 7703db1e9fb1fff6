/**
 * Applies migrations beside running servers and workers, each file once.
 *
 * A file is one transaction. With `-- mode: statements` as its first line each statement is one: what Postgres refuses in a
 * transaction, as `create index concurrently`, and what would hold locks for long. Such a file begins again after a failure, so its
 * statements may run twice.
 *
 * Statements of the service queue behind a lock that is waited for. So each try waits shortly, and long pauses are between the tries.
 */
import { readMigrationFiles } from "drizzle-orm/migrator";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { buildIndex, parseIndex } from "./buildIndex.ts";
import { isLockTimeout } from "./errors.ts";

/** One file of a folder of migrations. */
export interface MigrationFile {
  readonly name: string;
  readonly statements: readonly string[];
  /** Of the whole text, so of the mode too. */
  readonly hash: string;
  readonly createdAtMs: number;
  readonly isStatementwise: boolean;
}

const statementwise = "-- mode: statements";

/** The files of a folder, in their order. */
export function readMigrations(folder: string): MigrationFile[] {
  const journal: { entries: { tag: string }[] } = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, hash, folderMillis }, index) => ({
    name: journal.entries[index]?.tag ?? String(index),
    statements: sql,
    hash,
    createdAtMs: folderMillis,
    isStatementwise: sql[0]?.startsWith(statementwise) === true,
  }));
}

/** A table was in use throughout; what the file did before stays, or nothing of it. */
class TablesInUse extends Error {}

/** Another run recorded a file meanwhile. In the order of files each has one row, or the history fits no program any more. */
class FileRecorded extends Error {}

/** How long the first try waits for a lock, and the longest; a pause is this many times as long as the try before. */
const firstLockMs = 100;
const lockMsMax = 2_000;
const pauseFactor = 4;
const triesMax = 60;

/** Runs work until no lock of it is waited for too long. */
async function retryLocks(name: string, work: (lockMs: number) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const lockMs = Math.min(lockMsMax, firstLockMs * 2 ** (tries - 1));
    try {
      await work(lockMs);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === triesMax)
        throw new TablesInUse(
          `${name} found its tables in use throughout. End the long transactions that pg_stat_activity lists, and run it again`,
          { cause: error },
        );
    }
    await Bun.sleep(lockMs * pauseFactor);
  }
}

/** Runs the statements of a file; those who wait for its first lock wait for its others too, so all share one time. */
async function runAll(tx: postgres.TransactionSql, statements: readonly string[], lockMs: number): Promise<void> {
  const endMs = performance.now() + lockMs;
  for (const statement of statements) {
    const leftMs = Math.max(1, Math.round(endMs - performance.now()));
    await tx.unsafe(`set local lock_timeout = '${leftMs}ms';\n${statement}`);
  }
}

/** Applies the files that the table of a schema `drizzle` does not name yet. Its runs take turns by a lock of the caller. */
export async function applyMigrations(
  client: postgres.Sql,
  files: readonly MigrationFile[],
  { table, onFile = () => {} }: { table: string; onFile?: ((name: string) => void) | undefined },
): Promise<void> {
  await client`set statement_timeout = 0`;
  await client`create schema if not exists drizzle`;
  await client.unsafe(
    `create table if not exists drizzle."${table}" (id serial primary key, hash text not null, created_at bigint)`,
  );
  const history = client(`drizzle.${table}`);
  const [applied] = await client<{ count: number }[]>`select count(*)::int as count from ${history}`;
  for (const [index, file] of files.entries()) {
    if (index < (applied?.count ?? 0)) continue;
    onFile(file.name);
    const record = async (tx: postgres.TransactionSql) => {
      await tx`lock table ${history} in share row exclusive mode`;
      const { count } = await tx`insert into ${history} (hash, created_at)
        select ${file.hash}, ${file.createdAtMs} where (select count(*) from ${history}) = ${index}`;
      if (count === 0) throw new FileRecorded(`Another run applied ${file.name} at the same time. Run it again`);
    };
    if (file.isStatementwise) {
      await applyStatements(client, file);
      await client.begin(record);
    } else {
      await retryLocks(file.name, (lockMs) =>
        client.begin(async (tx) => {
          await runAll(tx, file.statements, lockMs);
          await record(tx);
        }),
      );
    }
  }
}

async function applyStatements(client: postgres.Sql, { name, statements }: MigrationFile): Promise<void> {
  try {
    for (const statement of statements) {
      const index = parseIndex(statement);
      const run = async (text: string) => {
        await retryLocks(name, async (lockMs) => {
          await client.unsafe(`set lock_timeout = '${lockMs}ms'`);
          await client.unsafe(text);
        });
      };
      if (index === null) await run(statement);
      else await buildIndex(client, index, run);
    }
  } finally {
    await client`reset lock_timeout`;
  }
}
