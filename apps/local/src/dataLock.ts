/** One start at a time on a data folder. */
import { Database, SQLiteError } from "bun:sqlite";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Locks a data folder for this process, and returns a function that unlocks it. The system itself unlocks the folder of a
 * process that was killed, so that no start has to judge whether a lock still counts.
 * @throws Error in one line that names the process
 */
export function lockData(home: string): () => void {
  mkdirSync(home, { recursive: true });
  const pidFile = join(home, "start.pid");
  // SQLite locks files on every system. Nothing is written to this one.
  const lock = new Database(join(home, "start.lock"));
  try {
    lock.run("begin exclusive");
  } catch (error) {
    lock.close();
    if (!(error instanceof SQLiteError) || error.code !== "SQLITE_BUSY") throw error;
    const owner = readOwner(pidFile);
    throw new Error(`Process ${owner} already uses ${home}. Stop it or set CARDKEEP_HOME to another folder.`);
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return () => {
    rmSync(pidFile, { force: true });
    lock.close();
  };
}

/** The process in the file; 0 before the process has written it. */
function readOwner(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
