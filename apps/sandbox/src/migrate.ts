import { migrateSandbox } from "@cardkeep/db/migrate";
import { fileURLToPath } from "node:url";

/** Makes the sandbox's tables, or migrates them to this version, beside those of `bun run migrate`. */
export const migrate = (databaseUrl: string): Promise<void> =>
  migrateSandbox(databaseUrl, fileURLToPath(new URL("../drizzle", import.meta.url)));
