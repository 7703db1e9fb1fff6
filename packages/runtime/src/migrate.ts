/** `bun run migrate`: migrates the database of DATABASE_SESSION_URL, or DATABASE_URL without it, to this version. */
import { migrate } from "@cardkeep/db/migrate";
import { proveSession } from "@cardkeep/db/proveAddresses";
import { loadMigrationAddresses } from "./settings.ts";

try {
  const addresses = loadMigrationAddresses();
  for (const warning of addresses.warnings) process.stderr.write(`cardkeep migrate: ${warning}\n`);
  // Migrations take turns by a lock of their session.
  await proveSession(addresses);
  await migrate(addresses.sessionUrl);
  process.stdout.write("The database is at this version.\n");
  process.exit(0);
} catch (error) {
  process.stderr.write(`cardkeep migrate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
