/** Brings a database to this version: our tables first, then the queue's. */
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { openClient } from "./client.ts";
import { compareMigrations, migrationsFolder } from "./migrations.ts";
import { migrateQueue } from "./queue/migrate.ts";

/** The database was made by migrations that this program does not have; an older version had others. */
export class ForeignDatabaseError extends Error {
  constructor() {
    super("The database is of another version, with other migrations: use an empty database, or start that version");
  }
}

/**
 * Applies drizzle/ and the queue's migrations; a second run, or one beside it, changes nothing.
 *
 * Runs hold one advisory lock, so instances that start together take turns.
 *
 * @throws Error when the database is newer than this program; it stays as it is
 * @throws ForeignDatabaseError when none of this program's migrations fits; it stays as it is
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = openClient(databaseUrl, { max: 1 });
  try {
    await client`select pg_advisory_lock(hashtextextended('cardkeep:migrate', 0))`;
    const db = drizzle(client);
    const state = await compareMigrations(db);
    if (state === "ahead") throw new Error("The database is newer than this program: start the newer program");
    if (state === "foreign") throw new ForeignDatabaseError();
    await applyMigrations(db, { migrationsFolder });
    await migrateQueue(client, databaseUrl);
  } finally {
    await client.end({ timeout: 5 });
  }
}
