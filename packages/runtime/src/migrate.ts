/** `bun run migrate`: brings the database of `DATABASE_URL` to this version. */
import { migrate } from "@cardkeep/db/migrate";
import { createLog } from "./log.ts";
import { loadSettings } from "./settings.ts";

const settings = loadSettings();
const log = createLog({ part: "migrate", level: settings.logLevel });
if (settings.databaseUrl === undefined) {
  log.fatal("DATABASE_URL is not set");
  process.exit(1);
}
await migrate(settings.databaseUrl);
log.info("the database is up to date");
