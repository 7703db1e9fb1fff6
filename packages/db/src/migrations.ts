/** Sets of migrations, and how the history of a database compares with one. */
import { sql } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { readMigrations } from "./applyMigrations.ts";
import type { Db } from "./client.ts";
import { hasQueueTables } from "./queue/tables.ts";

/** Migrations of one folder; `table` of the schema `drizzle` holds the hashes of those that were applied. */
export interface MigrationSet {
  readonly folder: string;
  readonly table: string;
}

/** The migrations of the product. */
export const productMigrations: MigrationSet = {
  folder: fileURLToPath(new URL("../../../drizzle", import.meta.url)),
  table: "__drizzle_migrations",
};

/**
 * Foreign: the database was made by migrations that this program does not have, so none of its own fits. Ahead: it has all
 * of this program's migrations and later ones.
 */
export type MigrationState = "current" | "behind" | "ahead" | "foreign";

/** How a database compares with this program's migrations and the queue's. An empty database is behind. */
export async function compareMigrations(db: Pick<Db, "execute">): Promise<MigrationState> {
  const [state, [queue]] = await Promise.all([
    compareSet(db, productMigrations),
    db.execute<{ exists: boolean }>(sql`select ${hasQueueTables} as exists`),
  ]);
  return state === "current" && queue?.exists !== true ? "behind" : state;
}

/** How a database compares with one set of migrations. */
export async function compareSet(db: Pick<Db, "execute">, { folder, table }: MigrationSet): Promise<MigrationState> {
  const [history] = await db.execute<{ exists: boolean }>(
    sql`select to_regclass(${`drizzle.${table}`}) is not null as exists`,
  );
  if (history?.exists !== true) return "behind";
  const applied = await db.execute<{ hash: string }>(
    sql`select hash from drizzle.${sql.identifier(table)} order by created_at, id`,
  );
  const own = readHashes(folder);
  const common = Math.min(applied.length, own.length);
  if (own.slice(0, common).some((hash, index) => hash !== applied[index]?.hash)) return "foreign";
  if (applied.length === own.length) return "current";
  return applied.length < own.length ? "behind" : "ahead";
}

const hashes = new Map<string, readonly string[]>();

function readHashes(folder: string): readonly string[] {
  const known = hashes.get(folder) ?? readMigrations(folder).map(({ hash }) => hash);
  hashes.set(folder, known);
  return known;
}
