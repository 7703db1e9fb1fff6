/** Parses the arguments of `cardkeep start` and `bun start`. */
import { chmod, mkdtemp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { programs } from "@cardkeep/terminal/programs";
import { findFreePort } from "./ports.ts";
import { ephemeralPrefix, removeData, sweepData } from "./sweepData.ts";

export interface LocalOptions {
  /** The settings that the arguments set. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the data is deleted at the end. */
  readonly isEphemeral: boolean;
  /** A cache folder that all ephemeral starts share; null uses the one in CARDKEEP_HOME. */
  readonly cacheDirectory: string | null;
  /** Whether server, worker and sandbox start again when a file of theirs changes. */
  readonly isWatching: boolean;
  /** Whether one line of JSON is printed when all parts are ready. */
  readonly isJson: boolean;
  /** Removes the files of an ephemeral start. */
  cleanUp(): Promise<void>;
}

/** The settings that are ports, in the order of a port base. */
const portSettings = ["PORT", "SANDBOX_PORT", "ELEMENTS_PORT", "CHAIN_PORT", "POSTGRES_PORT"] as const;
const portMax = 65_535;

/**
 * Reads the arguments. `--port-base N` uses the ports N to N+4. `--ephemeral` uses free ports and a folder of its own,
 * which is deleted at the end. `--json` prints the addresses as JSON. `--watch` starts an app again when a source file of it changes.
 * @throws UsageError for an argument that is unknown or has no meaning
 */
export async function readLocalOptions(args: readonly string[]): Promise<LocalOptions> {
  const {
    ephemeral: isEphemeral = false,
    json: isJson = false,
    watch: isWatching = false,
    "port-base": portBase,
  } = parse(args);
  const env: Record<string, string> = {};
  if (portBase !== undefined) Object.assign(env, listPorts(parsePortBase(portBase)));
  else if (isEphemeral) for (const name of portSettings) env[name] = String(await findFreePort());
  if (!isEphemeral) return { env, isEphemeral, isJson, isWatching, cacheDirectory: null, cleanUp: async () => {} };
  await sweepData(tmpdir());
  const home = await mkdtemp(join(tmpdir(), ephemeralPrefix));
  // Postgres does not run as root. It enters its own folder below this one.
  await chmod(home, 0o711);
  env["CARDKEEP_HOME"] = home;
  return { env, isEphemeral, isJson, isWatching, cacheDirectory: findCache(), cleanUp: () => removeData(home) };
}

/** The user's cache folder, by the XDG base directory specification. */
const findCache = (): string => join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "cardkeep");

/** Wrong arguments; the message names the fault and the correction. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: programs.start.flags }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parsePortBase(text: string): number {
  const base = Number(text);
  const isPort = Number.isInteger(base) && base >= 1 && base + portSettings.length - 1 <= portMax;
  if (!isPort) throw new UsageError(`--port-base must be a number from 1 to ${portMax - portSettings.length + 1}`);
  return base;
}

const listPorts = (base: number): Record<string, string> =>
  Object.fromEntries(portSettings.map((name, index) => [name, String(base + index)]));
