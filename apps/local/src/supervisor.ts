/** Starts every part in its order, watches over them, and stops them in the opposite one. */
import { migrate } from "@cardkeep/db/migrate";
import { openDatabase } from "@cardkeep/db/client";
import { getClockOffsetSeconds } from "@cardkeep/db/queries/clock";
import { loadSettings, type Settings } from "@cardkeep/runtime/settings";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChain } from "./chain.ts";
import { type Part, startPart } from "./part.ts";
import { isPortFree } from "./ports.ts";
import { startPostgres } from "./postgres.ts";

const readyMsMax = 60_000;
const readyEveryMs = 50;

export interface Everything {
  /** Resolves when a part has ended, with which and why. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Brings the program up and says each part as it comes; a stop asked for meanwhile ends it where it is.
 *
 * @throws Error in one line, after stopping whatever was up already
 */
export async function startEverything(say: (line: string) => void, stopping: Promise<void>): Promise<Everything> {
  const settings = loadSettings();
  if (settings.production) throw new Error("`bun start` is for one machine; in production run `bun run server` and `bun run worker`");
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  const starting = bringUp(settings, say, stops);
  const isStopped = await Promise.race([starting.then(() => false), stopping.then(() => true)]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  if (isStopped) {
    // What is coming up is waited for, so that nothing starts after everything was stopped.
    await starting.catch(() => {});
    return { failed: new Promise(() => {}), stop };
  }
  const { failed } = await starting;
  return { failed, stop };
}

async function bringUp(settings: Settings, say: (line: string) => void, stops: (() => Promise<void>)[]): Promise<Pick<Everything, "failed">> {
  await requirePorts(settings);
  const databaseUrl = settings.databaseUrl ?? (await bringUpPostgres(settings, say, stops));
  await migrate(databaseUrl);
  say("✓ database  at this version");
  const rpcUrl = settings.rpcUrl ?? (await bringUpChain(settings, databaseUrl, say, stops));
  const env = { ...process.env, DATABASE_URL: databaseUrl, RPC_URL: rpcUrl, ...(settings.rpcUrl === undefined && { CARDKEEP_LOCAL_CHAIN: "1" }) };
  const parts = (["sandbox", "server", "worker"] as const).map((name) => {
    const main = fileURLToPath(new URL(`../../${name}/src/main.ts`, import.meta.url));
    return startPart({ name, main, env, logFile: join(settings.home, "logs", `${name}.log`) });
  });
  stops.push(async () => {
    await Promise.all(parts.map((part) => part.stop()));
  });
  const failed = Promise.race(parts.map((part) => watch(part)));
  const server = `http://localhost:${settings.port}`;
  const sandbox = `http://localhost:${settings.sandboxPort}`;
  await Promise.race([Promise.all([untilAnswers(`${server}/readyz`), untilAnswers(`${sandbox}/mailbox`)]), failed.then((message) => Promise.reject(new Error(message)))]);
  say(`✓ sandbox   ${sandbox}`);
  say(`✓ server    ${server}`);
  say("✓ worker    takes jobs");
  say("");
  say(`Cardkeep is ready at ${server}`);
  say(`  API description  ${server}/openapi.json`);
  say(`  Sandbox console  ${sandbox}/`);
  say(`  Chain            ${rpcUrl}`);
  return { failed };
}

async function requirePorts(settings: Settings): Promise<void> {
  const needed = { PORT: settings.port, SANDBOX_PORT: settings.sandboxPort };
  for (const [name, port] of Object.entries(needed)) {
    if (!(await isPortFree(port))) throw new Error(`Port ${port} is taken: free it, or set ${name} to another`);
  }
}

async function bringUpPostgres(settings: Settings, say: (line: string) => void, stops: (() => Promise<void>)[]): Promise<string> {
  const postgres = await startPostgres({ dataDirectory: join(settings.home, "postgres"), port: settings.postgresPort });
  stops.push(() => postgres.stop());
  say(`✓ postgres  ${postgres.url}`);
  return postgres.url;
}

async function bringUpChain(
  settings: Settings,
  databaseUrl: string,
  say: (line: string) => void,
  stops: (() => Promise<void>)[],
): Promise<string> {
  const chain = await startChain({
    cacheDirectory: join(settings.home, "cache"),
    stateFile: join(settings.home, "chain.json"),
    port: settings.chainPort,
    chainId: settings.chainId,
    clockOffsetSeconds: await readClockOffset(databaseUrl),
  });
  stops.push(() => chain.stop());
  say(`✓ chain     ${chain.rpcUrl}`);
  return chain.rpcUrl;
}

async function readClockOffset(databaseUrl: string): Promise<number> {
  const database = openDatabase({ url: databaseUrl, connectionsMax: 1, statementTimeoutMs: 5_000, applicationName: "cardkeep-local" });
  try {
    return await getClockOffsetSeconds(database.db);
  } finally {
    await database.close();
  }
}

const watch = async (part: Part): Promise<string> => {
  const code = await part.ended;
  return `the ${part.name} ended with code ${code}; the end of its log:\n${part.describeEnd()}`;
};

async function untilAnswers(url: string): Promise<void> {
  const deadline = Date.now() + readyMsMax;
  while (!(await fetch(url).then((response) => response.ok, () => false))) {
    if (Date.now() > deadline) throw new Error(`${url} did not answer within ${readyMsMax / 1000} s`);
    await Bun.sleep(readyEveryMs);
  }
}
