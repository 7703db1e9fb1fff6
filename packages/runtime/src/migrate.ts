/** `bun run migrate`: migrates the database of DATABASE_URL to this version. */
import { migrate } from "@cardkeep/db/migrate";
import { loadSettings } from "./settings.ts";

try {
  const { databaseUrl } = loadSettings();
  if (databaseUrl === undefined) throw new Error("DATABASE_URL is not set");
  await migrate(databaseUrl);
  process.stdout.write("The database is at this version.\n");
  process.exit(0);
} catch (error) {
  process.stderr.write(`cardkeep migrate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
