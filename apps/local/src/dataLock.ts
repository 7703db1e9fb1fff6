/** One start at a time on a data folder. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRunning } from "./pidFile.ts";

/** What every start has in its command line: `bun start`, `cardkeep start` and the tests run this program. */
const marker = "apps/local/src/main";

/**
 * Locks a data folder for this process, and returns a function that unlocks it. The lock of a process that was killed
 * does not count.
 * @throws Error in one line that names the process
 */
export function lockData(home: string): () => void {
  mkdirSync(home, { recursive: true });
  const path = join(home, "start.pid");
  while (!create(path)) {
    const owner = readOwner(path);
    if (owner !== process.pid && findRunning(owner, marker))
      throw new Error(`Process ${owner} already uses ${home}. Stop it or set CARDKEEP_HOME to another folder.`);
    rmSync(path, { force: true });
  }
  return () => rmSync(path, { force: true });
}

function create(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** The process in the file; 0 if the file has gone. */
function readOwner(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (isCode(error, "ENOENT")) return 0;
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
