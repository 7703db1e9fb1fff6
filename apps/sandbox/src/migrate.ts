import { migrateSandbox } from "@cardkeep/db/migrate";
import { fileURLToPath } from "node:url";

/** Makes the tables of the sandbox's store, or migrates them to this version. */
export const migrate = (sessionUrl: string): Promise<void> =>
  migrateSandbox(sessionUrl, fileURLToPath(new URL("../../../apps/sandbox/drizzle", import.meta.url)));
