/** The migrations of this program, and how the history of a database compares with them. */
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { fileURLToPath } from "node:url";
import type { Db } from "./client.ts";
import { hasQueueTables } from "./queue/tables.ts";

export const migrationsFolder = fileURLToPath(new URL("../../../drizzle", import.meta.url));

const migrations = readMigrationFiles({ migrationsFolder });

/**
 * Foreign: the database was made by migrations that this program does not have, so none of its own fits. Ahead: it has all
 * of this program's migrations and later ones.
 */
export type MigrationState = "current" | "behind" | "ahead" | "foreign";

/** How a database compares with this program's migrations. An empty database is behind. */
export async function compareMigrations(db: Pick<Db, "execute">): Promise<MigrationState> {
  const [tables] = await db.execute<{ hasHistory: boolean; hasQueue: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "hasHistory", ${hasQueueTables} as "hasQueue"`,
  );
  if (tables?.hasHistory !== true) return "behind";
  const applied = await db.execute<{ hash: string }>(
    sql`select hash from drizzle.__drizzle_migrations order by created_at, id`,
  );
  const state = compareHistory(
    applied.map(({ hash }) => hash),
    migrations,
  );
  return state === "current" && !tables.hasQueue ? "behind" : state;
}

function compareHistory(applied: readonly string[], own: readonly MigrationMeta[]): MigrationState {
  const common = Math.min(applied.length, own.length);
  if (own.slice(0, common).some(({ hash }, index) => hash !== applied[index])) return "foreign";
  if (applied.length === own.length) return "current";
  return applied.length < own.length ? "behind" : "ahead";
}
