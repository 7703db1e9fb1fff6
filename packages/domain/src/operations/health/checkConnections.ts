/** The checks of the database's connections. */
import { formatCount } from "../../core/wording.ts";
import { sessionSettings } from "@cardkeep/db/lostMachine";
import {
  type ConnectionUse,
  endsLostSessions,
  type Processes,
  readConnectionUse,
  readStatementTimeoutMs,
} from "@cardkeep/db/queries/core/connections";
import { sessionConnectionsMax } from "@cardkeep/db/queue/liveness";
import type { Services } from "../../core/services.ts";
import { type Finding, finding } from "./finding.ts";

const check = "connections";
const advice = "raise max_connections, lower DATABASE_CONNECTIONS, or put PgBouncer before the database";

const nouns = { server: "server", worker: "worker", sandbox: "sandbox", cli: "command" } as const;
const describe = ({ part, count: number, connectionsMax }: Processes): string =>
  `${formatCount(number, nouns[part])} ${connectionsMax}`;

/** Whether all processes together may hold more connections than the database gives. */
export async function checkConnections({ db, isPooled }: Services): Promise<Finding> {
  const use = await readConnectionUse(db);
  return isPooled ? checkPooled(use) : checkDirect(use);
}

function checkDirect({ processes, foreign, available }: ConnectionUse): Finding {
  const needed = processes.reduce((sum, { connectionsMax }) => sum + connectionsMax, foreign);
  const held = [...processes.map(describe), ...(foreign > 0 ? [`others ${foreign}`] : [])].join(", ");
  const text = `Up to ${needed} of ${available}: ${held}`;
  return needed <= available ? finding(check, "ok", text) : finding(check, "warning", `${text}; ${advice}`);
}

/** Through a pooler the processes hold only sessions of their own. What the pooler holds, it limits itself. */
function checkPooled({ workers, foreign, available }: ConnectionUse): Finding {
  const needed = workers * sessionConnectionsMax + foreign;
  const sessions = `sessions of ${formatCount(workers, "worker")} ${workers * sessionConnectionsMax}`;
  const text = `Up to ${needed} of ${available} besides the pooler's: ${sessions}, others ${foreign}`;
  if (needed < available) return finding(check, "ok", `${text}. default_pool_size may be up to ${available - needed}`);
  return finding(check, "warning", `${text}; raise max_connections`);
}

/** Whether the database ends a statement that runs for too long. Directly, each connection sets its own limit. */
export async function checkStatementTimeout({ db }: Services): Promise<Finding> {
  const ms = await readStatementTimeoutMs(db);
  if (ms > 0) return finding("statement timeout", "ok", `The database ends a statement after ${ms / 1_000} s`);
  const text =
    "Through the pooler, a statement outside of a transaction has no time limit: run `alter role NAME set statement_timeout = '10s'` for the role of DATABASE_URL, then reconnect the pooler";
  return finding("statement timeout", "warning", text);
}

/** Whether the database ends the session of a machine that vanished. Directly, each connection sets its own limits. */
export async function checkLostMachines({ db }: Services): Promise<Finding> {
  if (await endsLostSessions(db))
    return finding("lost machines", "ok", "The database ends the session of a machine that vanished within a minute");
  const statements = sessionSettings.map((setting) => `alter role NAME set ${setting}`).join("; ");
  const text = `Through the pooler, a transaction of a machine that vanished holds its locks for up to hours: run \`bun run migrate\`, or as a superuser \`${statements}\` for the role of DATABASE_URL, then reconnect the pooler`;
  return finding("lost machines", "warning", text);
}
