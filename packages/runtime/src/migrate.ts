/** `bun run migrate`: migrates the database of DATABASE_SESSION_URL, or DATABASE_URL without it, to this version. */
import { migrate } from "@cardkeep/db/migrate";
import { proveSession } from "@cardkeep/db/proveAddresses";
import { createProgress } from "@cardkeep/terminal/progress";
import { loadMigrationAddresses } from "./settings.ts";

const progress = createProgress({ lines: process.stdout, activity: process.stderr }, { delayMs: 500 });
try {
  const addresses = loadMigrationAddresses();
  for (const warning of addresses.warnings) process.stderr.write(`cardkeep migrate: ${warning}\n`);
  // Migrations take turns by a lock of their session.
  progress.begin("proves that the address keeps sessions");
  await proveSession(addresses);
  progress.begin("brings the database to this version");
  const hasServiceRole = await migrate(addresses.sessionUrl, addresses.serviceRole, {
    onFile: (name) => progress.begin(`applies ${name}`),
    onWait: (holder) => process.stderr.write(`cardkeep migrate: waits for the end of another run, ${holder}\n`),
  });
  progress.end();
  if (!hasServiceRole)
    process.stderr.write(
      `cardkeep migrate: there is no role ${addresses.serviceRole} besides this one. Make it, migrate again, and let servers and workers use it\n`,
    );
  process.stdout.write("The database is at this version.\n");
  process.exit(0);
} catch (error) {
  progress.end();
  process.stderr.write(`cardkeep migrate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
