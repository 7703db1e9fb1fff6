/** Child processes that end with this process, also when it is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, openSync, closeSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { boundLog, type LogLimit } from "./logLimit.ts";

export interface Child {
  readonly pid: number;
  /** Resolves with the reason when the child has ended: `code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  /** Sends `signal`, then `force` if the child has not ended in time, and waits for its end. */
  stop(signal: NodeJS.Signals, force: NodeJS.Signals, timeoutMs: number): Promise<void>;
}

/** How the end of this process reaches the child: by a signal, or by the end of the child's input. */
export type Leash = { kind: "signal"; signal: NodeJS.Signals } | { kind: "input" };

// Waits for the end of its input, which this process holds. It ignores the signals that stop a terminal's process
// group.
const guardScript = 'trap "" INT TERM HUP; read -r _; kill -"$1" "$0"';

/**
 * Starts a program in a process group of its own. Ctrl-C reaches this process alone, which stops its children in
 * order.
 *
 * When this process ends, even by SIGKILL, a `signal` leash sends the signal and an `input` leash ends the child's
 * input. Output goes to `logFile`; what is older stays beside it as `<logFile>.1`.
 */
export function startChild(input: {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  logFile?: string;
  logLimit?: LogLimit;
  leash: Leash;
  /** Opens a channel for messages between this process and the child. */
  openChannel?: (child: ChildProcess) => void;
}): Child {
  const { command, args, logFile, logLimit, leash, openChannel, ...options } = input;
  const log = logFile === undefined ? "ignore" : openLog(logFile);
  const reads = leash.kind === "input" ? "pipe" : "ignore";
  const child = spawn(command, args, {
    ...options,
    detached: true,
    stdio: [reads, log, log, openChannel ? "ipc" : "ignore"],
  });
  if (typeof log === "number") closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  if (logFile !== undefined) void ended.then(boundLog(logFile, logLimit));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} cannot be run`);
  openChannel?.(child);
  if (leash.kind === "signal") guard(pid, leash.signal, ended);
  return {
    pid,
    ended,
    stop: async (signal, force, timeoutMs) => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill(force), timeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function guard(pid: number, signal: NodeJS.Signals, ended: Promise<string>): void {
  const sentry = spawn("/bin/sh", ["-c", guardScript, String(pid), signal.replace("SIG", "")], {
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  sentry.unref();
  // Before another process may get the same number.
  void ended.then(() => sentry.kill("SIGKILL"));
}

/** Logs name people and addresses. */
const ownerOnly = 0o600;

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) {
    // An earlier version wrote it for everybody.
    chmodSync(path, ownerOnly);
    renameSync(path, `${path}.1`);
  }
  return openSync(path, "a", ownerOnly);
}
