/** The settings of the workers that tests start. */
import { readSettings, type Settings } from "@cardkeep/runtime/settings";
import { planConnections, sumConnections } from "@cardkeep/runtime/settings/connections";

/** Each connection plans each statement anew, which takes a tenth of a suite's processor time. A worker may have 15 or more. */
export const workerConnections = 16;

/** What a worker has beside its service's environment. Servers read that one too, and have fewer connections. */
export const workerEnvironment = { DATABASE_CONNECTIONS: `${workerConnections}` };

/** As many connections as a worker in production has: for figures, and where more jobs hang at once than the others serve. */
export const productionWorker = { DATABASE_CONNECTIONS: `${sumConnections(planConnections("worker", null))}` };

/** The settings of a worker in the test's process. */
export const readWorkerSettings = (env: Record<string, string>): Settings =>
  readSettings({ ...workerEnvironment, ...env });
