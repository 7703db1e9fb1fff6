/**
 * Where a `bun start` of this machine is found by other programs.
 *
 * - notice: a file in CARDKEEP_HOME, there while it runs, with the settings under which its parts are reached.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { environment, readSettings, type Settings } from "./settings.ts";

/** The database of the embedded Postgres. */
export const localDatabaseUrl = (port: number): string => `postgres://cardkeep@127.0.0.1:${port}/cardkeep`;
/** The local chain's node. */
export const localRpcUrl = (port: number): string => `http://127.0.0.1:${port}`;

const notice = z.object({ pid: z.int().positive(), env: z.record(z.string(), z.string()) });

const noticePath = (home: string): string => join(home, "running.json");

/** Tells where this process's parts are reached; what its operator set, and may hold a password, is not told. */
export function announceLocal(settings: Settings, localChain: { contractCode: string } | null): { withdraw(): void } {
  const { home, databaseUrl, port, sandboxPort, postgresPort, chainPort, chainId } = settings;
  const env = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    CHAIN_ID: String(chainId),
    ...(databaseUrl === undefined && { DATABASE_URL: localDatabaseUrl(postgresPort) }),
    ...(localChain !== null && {
      RPC_URL: localRpcUrl(chainPort),
      CARDKEEP_LOCAL_CHAIN: "1",
      CONTRACT_CODE: localChain.contractCode,
    }),
  };
  const path = noticePath(home);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, env })}\n`);
  return { withdraw: () => rmSync(path, { force: true }) };
}

/** The settings under which a running `bun start` is reached; none where none runs. */
function readNotice(home: string): Record<string, string> {
  const path = noticePath(home);
  if (!existsSync(path)) return {};
  const parsed = notice.safeParse(parseJson(readFileSync(path, "utf8")));
  return parsed.success && isRunning(parsed.data.pid) ? parsed.data.env : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * The settings of a program that works beside the others: the environment's, where it is silent those of a running
 * `bun start`, and where none runs those it would have.
 *
 * @throws SettingsError
 */
export function readOperatorSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const home = environment.shape.CARDKEEP_HOME.parse(given["CARDKEEP_HOME"]);
  const isProduction = given["NODE_ENV"] === "production";
  const settings = readSettings(isProduction ? given : { ...readNotice(home), ...given });
  return {
    ...settings,
    databaseUrl: settings.databaseUrl ?? localDatabaseUrl(settings.postgresPort),
    rpcUrl: settings.rpcUrl ?? localRpcUrl(settings.chainPort),
  };
}
