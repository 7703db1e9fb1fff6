/**
 * How other programs find a running `bun start` on this machine.
 *
 * - run file: a file in CARDKEEP_HOME that exists while it runs, with the settings that reach its parts.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { z } from "zod";
import { development } from "./development.ts";
import { environment } from "./environment.ts";
import { findConfigFolder } from "./settings/process.ts";
import { type Origin, readSettings, type Settings, SettingsError } from "./settings.ts";

/** The database of the embedded Postgres. */
export const localDatabaseUrl = (port: number): string => `postgres://cardkeep@127.0.0.1:${port}/cardkeep`;
/** The same as servers and workers use it: see `serviceRole.ts`. */
export const localServiceUrl = (port: number): string => `postgres://${serviceRoleDefault}@127.0.0.1:${port}/cardkeep`;
/** The local chain's node. */
export const localRpcUrl = (port: number): string => `http://127.0.0.1:${port}`;

const runFile = z.object({ pid: z.int().positive(), env: z.record(z.string(), z.string()) });

const runFilePath = (home: string): string => join(home, "running.json");

/**
 * Writes the settings that reach this process's parts. It leaves out the operator's own values, which may hold a
 * password.
 */
export function announceLocal(settings: Settings, localChain: { contractCode: string } | null): { withdraw(): void } {
  const { home, databaseUrl, port, sandboxPort, postgresPort, chainPort, policy } = settings;
  const env = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    CHAIN_ID: String(policy.chainId),
    ...(databaseUrl === undefined && { DATABASE_URL: localDatabaseUrl(postgresPort) }),
    ...(localChain !== null && {
      RPC_URL: localRpcUrl(chainPort),
      CARDKEEP_LOCAL_CHAIN: "1",
      CONTRACT_CODE: localChain.contractCode,
    }),
  };
  const path = runFilePath(home);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, env })}\n`);
  return { withdraw: () => rmSync(path, { force: true }) };
}

/** The settings that reach a running `bun start`; empty if none runs. */
function readRunFile(home: string): Record<string, string> {
  const path = runFilePath(home);
  if (!existsSync(path)) return {};
  const parsed = runFile.safeParse(parseJson(readFileSync(path, "utf8")));
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
    // It runs, as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The settings of `others` that are not given, also not by a file. */
const listUnset = (others: Record<string, string>, given: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(others).filter(([name]) => !given[`${name}_FILE`]));

/**
 * The settings of a program that runs beside the others. They come from the environment, then from a running `bun
 * start`, then from the defaults; `origins` says which.
 * @throws SettingsError
 */
export function readOperatorSettings(env: Record<string, string | undefined> = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const home = environment.shape.CARDKEEP_HOME.parse(given["CARDKEEP_HOME"]);
  const isProduction = given["NODE_ENV"] === "production";
  const found = isProduction ? {} : listUnset(readRunFile(home), given);
  const settings = readSettings({ ...found, ...given });
  const databaseUrl = settings.databaseUrl ?? localDatabaseUrl(settings.postgresPort);
  const findOrigin = (...names: string[]): Origin => {
    if (names.some((name) => given[name] !== undefined || given[`${name}_FILE`] !== undefined)) return "given";
    return names.some((name) => name in found) ? "found" : "guessed";
  };
  return {
    ...settings,
    databaseUrl,
    databaseSessionUrl: settings.databaseSessionUrl ?? databaseUrl,
    rpcUrl: settings.rpcUrl ?? localRpcUrl(settings.chainPort),
    origins: {
      database: findOrigin("DATABASE_URL", "POSTGRES_PORT"),
      service: findOrigin("PORT"),
      sandbox: findOrigin("SANDBOX_PORT"),
    },
  };
}

/** Where an assistant calls public operations, and the user's own token; null for those that need none. */
export const readUserAccess = (
  env: Record<string, string | undefined> = process.env,
): { url: string; token: string | null } => ({
  url:
    env["CARDKEEP_URL"]?.replace(/\/+$/, "") ||
    `http://localhost:${env["PORT"] || environment.shape.PORT.parse(undefined)}`,
  token: env["CARDKEEP_TOKEN"] || null,
});

/**
 * What opens an installation elsewhere: the operator's key of the environment, and the folder with the secrets of sign-ins. The known
 * key is that of each installation that is not in production; null in production.
 * @throws SettingsError
 */
export function readRemoteAccess(env: Record<string, string | undefined> = process.env): {
  operatorKey: string | null;
  knownKey: string | null;
  configFolder: string;
} {
  const file = env["OPERATOR_API_KEY_FILE"];
  const given = file ? readFileSync(file, "utf8").trim() : env["OPERATOR_API_KEY"];
  return {
    operatorKey: given?.split(",")[0]?.trim() || null,
    knownKey: isInProduction(env) ? null : development.OPERATOR_API_KEY,
    configFolder: findConfigFolder(env),
  };
}

/** Whether this program has the settings of production, where there is no sandbox. @throws SettingsError for a misspelt NODE_ENV */
export function isInProduction(env: Record<string, string | undefined> = process.env): boolean {
  const { data, error } = environment.shape.NODE_ENV.safeParse(env["NODE_ENV"] || undefined);
  if (error) throw new SettingsError(error.issues.map(({ message }) => `NODE_ENV: ${message}`).join("\n"));
  return data === "production";
}
