/** Children that outlived the process which started them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const stopMsMax = 8_000;

interface Running {
  parent: number;
  command: string;
}

/** Records that this process started a child, so that a later start can find an orphan. */
export const writePidFile = (path: string, pid: number): void => writeFileSync(path, `${pid} ${process.pid}\n`);

/**
 * Stops the child named in a pid file and waits for its end. Without a file or a running child it does nothing.
 *
 * `marker` is a text that only that child has in its command line. A process with the same number but without the
 * marker is left alone.
 * @throws Error in one line if the process that started it still runs, or if it does not end
 */
export async function stopOrphan(input: { pidFile: string; marker: string; signal: NodeJS.Signals }): Promise<void> {
  const { pidFile, marker, signal } = input;
  if (!existsSync(pidFile)) return;
  const [pid = 0, owner = 0] = readFileSync(pidFile, "utf8").split(/\s+/).map(Number);
  const found = findRunning(pid, marker);
  if (found?.parent === owner)
    throw new Error(`Process ${owner} already uses ${marker}. Stop it or set CARDKEEP_HOME to another folder.`);
  if (found) process.kill(pid, signal);
  const deadline = Date.now() + stopMsMax;
  while (findRunning(pid, marker)) {
    if (Date.now() > deadline) throw new Error(`Process ${pid} of an earlier start does not end. Stop it.`);
    await Bun.sleep(10);
  }
  rmSync(pidFile, { force: true });
}

/** The running process of this number, if its command line contains `marker`. */
export function findRunning(pid: number, marker: string): Running | null {
  if (!Number.isInteger(pid) || pid <= 1) return null;
  const found = process.platform === "linux" ? readProc(pid) : runPs(pid);
  return found?.command.includes(marker) ? found : null;
}

/** Small Linux images have no `ps`. */
function readProc(pid: number): Running | null {
  try {
    // The name before it is in parentheses and may hold any character.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    if (state === "Z") return null;
    return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") };
  } catch {
    return null;
  }
}

function runPs(pid: number): Running | null {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=,ppid=,args=", "-p", String(pid)]);
  const [state = "Z", parent, ...command] = stdout.toString().trim().split(/\s+/);
  return state.startsWith("Z") ? null : { parent: Number(parent), command: command.join(" ") };
}
