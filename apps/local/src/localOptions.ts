/** The arguments of `cardkeep start`, which `bun start` takes too. */
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findFreePort } from "./ports.ts";

export interface LocalOptions {
  /** Settings that the arguments stand for. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the data is gone at the end. */
  readonly isEphemeral: boolean;
  /** Folder of what many ephemeral starts share; null for the one in CARDKEEP_HOME. */
  readonly cacheDirectory: string | null;
  /** Whether one line of JSON is printed when everything is ready. */
  readonly isJson: boolean;
  /** Removes what an ephemeral start leaves. */
  cleanUp(): Promise<void>;
}

/** The settings that are ports, in the order in which a port base counts. */
const portSettings = ["PORT", "SANDBOX_PORT", "ELEMENTS_PORT", "CHAIN_PORT", "POSTGRES_PORT"] as const;
const portMax = 65_535;

/**
 * Reads the arguments. `--port-base N` takes the ports N to N+4; `--ephemeral` takes free ports and a folder of its own, which
 * goes at the end; `--json` prints the addresses as JSON.
 *
 * @throws UsageError for an argument that is unknown or has no meaning
 */
export async function readLocalOptions(args: readonly string[]): Promise<LocalOptions> {
  const { ephemeral: isEphemeral, json: isJson, "port-base": portBase } = parse(args);
  const env: Record<string, string> = {};
  if (portBase !== undefined) Object.assign(env, listPorts(parsePortBase(portBase)));
  else if (isEphemeral) for (const name of portSettings) env[name] = String(await findFreePort());
  if (!isEphemeral) return { env, isEphemeral, isJson, cacheDirectory: null, cleanUp: async () => {} };
  const home = await mkdtemp(join(tmpdir(), "cardkeep-"));
  // Postgres, which does not run as root, enters its own folder below this one.
  await chmod(home, 0o711);
  env["CARDKEEP_HOME"] = home;
  return { env, isEphemeral, isJson, cacheDirectory: findCache(), cleanUp: () => removeHome(home) };
}

/** The user's folder for such things, by the XDG base directory specification. */
const findCache = (): string => join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "cardkeep");

async function removeHome(home: string): Promise<void> {
  // The data may be in a folder elsewhere, which this is a link to.
  const data = await realpath(join(home, "postgres")).catch(() => null);
  if (data !== null) await rm(data, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}

/** Wrong arguments; the message says which and what is right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ephemeral: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        "port-base": { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parsePortBase(text: string): number {
  const base = Number(text);
  const isPort = Number.isInteger(base) && base >= 1 && base + portSettings.length - 1 <= portMax;
  if (!isPort) throw new UsageError(`--port-base is a number from 1 to ${portMax - portSettings.length + 1}`);
  return base;
}

const listPorts = (base: number): Record<string, string> =>
  Object.fromEntries(portSettings.map((name, index) => [name, String(base + index)]));
