/** The migrations of this program, and how a database stands to them. */
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { fileURLToPath } from "node:url";
import type { Db } from "./client.ts";
import { hasQueueTables } from "./queue/tables.ts";

export const migrationsFolder = fileURLToPath(new URL("../../../drizzle", import.meta.url));

const newestAt = Math.max(...readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis));

/** Whether a database is at this program's migrations; one that was never migrated is behind. */
export async function compareMigrations(db: Pick<Db, "execute">): Promise<"current" | "behind" | "ahead"> {
  const [tables] = await db.execute<{ present: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null
      and ${hasQueueTables} as present`,
  );
  if (tables?.present !== true) return "behind";
  const [row] = await db.execute<{ at: string | null }>(
    sql`select max(created_at) as at from drizzle.__drizzle_migrations`,
  );
  const at = Number(row?.at ?? 0);
  return at === newestAt ? "current" : at < newestAt ? "behind" : "ahead";
}
