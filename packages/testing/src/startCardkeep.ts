/** Starts the program for one test run: free ports, data of its own, gone at the end. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Cardkeep, type CardkeepAddresses, connectCardkeep } from "./cardkeep.ts";

export interface StartOptions {
  /** Settings of the service, by their names in its `.env.example`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Milliseconds until the start counts as failed; 120,000 unless named, since the first start prepares a template. */
  readonly timeoutMs?: number;
  /** The program and its first arguments; the installed package `cardkeep` unless named. */
  readonly command?: readonly [string, ...string[]];
}

export interface RunningCardkeep extends Cardkeep, AsyncDisposable {
  /** The key of the operator's pages. */
  readonly operatorKey: string | null;
  /** Address of the database. */
  readonly database: string;
  /** Stops every process and removes the data. */
  stop(): Promise<void>;
}

/** A test run sends far more requests from one address than a person does. */
const generousSettings = {
  READS_PER_MINUTE: "1000000",
  WRITES_PER_MINUTE: "1000000",
  RULE_CHANGES_PER_MINUTE: "1000000",
  KYC_REQUESTS_PER_MINUTE: "1000000",
  OPEN_REQUESTS_PER_MINUTE: "1000000",
  CODE_REQUESTS_PER_MINUTE: "1000000",
};

const timeoutMsDefault = 120_000;
const stopMsMax = 15_000;
const linesMax = 15;

/**
 * Starts Cardkeep and waits until it is ready. It stops with `stop()`, at the end of `await using`, and when this process ends.
 *
 * @throws Error with the program's last lines if it does not become ready
 */
export async function startCardkeep(options: StartOptions = {}): Promise<RunningCardkeep> {
  const { settings = {}, timeoutMs = timeoutMsDefault, command = findProgram() } = options;
  const [program, ...args] = command;
  const child = spawn(program, [...args, "--ephemeral", "--json"], {
    // A DATABASE_URL or PORT of the program under test is not meant for Cardkeep, in a `.env` neither.
    env: { ...readMachineVariables(), ...withoutEnvFiles, CARDKEEP_LAUNCHER: "1", ...generousSettings, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const addresses = await readAddresses(child, timeoutMs);
  release(child);
  const stop = () => stopChild(child);
  return {
    ...connectCardkeep(addresses),
    operatorKey: addresses.operatorKey,
    database: addresses.database,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Bun reads the `.env` files of its folder, and its children do. */
const withoutEnvFiles = { BUN_OPTIONS: "--no-env-file" };

const machineVariables = ["PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "LANG"];

const readMachineVariables = (): Record<string, string> =>
  Object.fromEntries(
    machineVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function findProgram(): [string, ...string[]] {
  const manifest = createRequire(import.meta.url).resolve("cardkeep/package.json");
  return [process.execPath, join(dirname(manifest), "bin/cardkeep.mjs"), "start"];
}

type Ready = CardkeepAddresses & Pick<RunningCardkeep, "operatorKey" | "database">;

const readAddresses = (child: ChildProcess, timeoutMs: number): Promise<Ready> =>
  new Promise((resolve, reject) => {
    const lines: string[] = [];
    const giveUp = (reason: string) => {
      clearTimeout(timer);
      reject(new Error([`Cardkeep ${reason}`, ...lines].join("\n")));
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // Asked to stop, it removes its data.
      void stopChild(child).then(() => giveUp(`was not ready within ${timeoutMs} ms`));
    }, timeoutMs);
    if (child.stderr)
      createInterface(child.stderr).on("line", (line) => {
        lines.push(line);
        if (lines.length > linesMax) lines.shift();
      });
    if (child.stdout)
      createInterface(child.stdout).once("line", (line) => {
        clearTimeout(timer);
        resolve(JSON.parse(line) as Ready);
      });
    child.once("error", (error) => giveUp(`did not start: ${error.message}`));
    child.once("exit", (code, signal) => !isLate && giveUp(`ended with ${signal ?? `code ${code}`}`));
  });

/** A test that never came to `stop()` keeps no run from its end, and the program stops with it. */
function release(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream !== null && isReleasable(stream)) stream.unref();
}

/** The types of Node do not say that its pipes, and those of Bun, are. */
const isReleasable = (stream: object): stream is { unref(): void } =>
  "unref" in stream && typeof stream.unref === "function";

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.ref();
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
  await ended;
  clearTimeout(timer);
}
