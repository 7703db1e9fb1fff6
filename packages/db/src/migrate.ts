/** Brings a database to this version: our tables first, then the queue's. */
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { openClient } from "./client.ts";
import { compareMigrations, migrationsFolder } from "./migrations.ts";
import { migrateQueue } from "./queue/migrate.ts";

/**
 * Applies drizzle/ and the queue's migrations; a second run, or one beside it, changes nothing.
 *
 * Runs hold one advisory lock, so instances that start together take turns.
 *
 * @throws Error when the database is newer than this program; it is left as it is
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = openClient(databaseUrl, { max: 1 });
  try {
    await client`select pg_advisory_lock(hashtextextended('cardkeep:migrate', 0))`;
    const db = drizzle(client);
    if ((await compareMigrations(db)) === "ahead")
      throw new Error("The database is newer than this program: start the newer program");
    await applyMigrations(db, { migrationsFolder });
    await migrateQueue(client, databaseUrl);
  } finally {
    await client.end({ timeout: 5 });
  }
}
