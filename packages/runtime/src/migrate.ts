/** `bun run migrate`: migrates the database of DATABASE_SESSION_URL, or DATABASE_URL without it, to this version. */
import { migrate } from "@cardkeep/db/migrate";
import { loadMigrationUrl } from "./settings.ts";

try {
  await migrate(loadMigrationUrl());
  process.stdout.write("The database is at this version.\n");
  process.exit(0);
} catch (error) {
  process.stderr.write(`cardkeep migrate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
