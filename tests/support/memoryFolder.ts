/** A folder in memory for the data of a test run. */
import { readdir, readFile, rm, statfs } from "node:fs/promises";
import { freemem } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. A container often has one of 64 MB. */
const path = "/dev/shm";
/** A run keeps a few databases at a time, of 10 MB each, and a log of up to 1 GB. */
const freeBytesMin = 4 * 2 ** 30;

/** The folder, or null where there is none with enough room. It removes what killed runs left under the prefix. */
export async function findMemoryFolder(prefix: string): Promise<string | null> {
  const space = await statfs(path).catch(() => null);
  if (space === null || Math.min(space.bavail * space.bsize, freemem()) < freeBytesMin) return null;
  await removeAbandoned(prefix);
  return path;
}

/** Whether a Postgres keeps its data in the folder. */
export const isInMemory = (dataDirectory: string): boolean => dataDirectory.startsWith(`${path}/`);

/** The servers of killed runs ended with them. A server that starts has no lock file yet. */
async function removeAbandoned(prefix: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (!name.startsWith(prefix)) continue;
    const lock = await readFile(join(path, name, "postmaster.pid"), "utf8").catch(() => null);
    if (lock !== null && !isAlive(Number.parseInt(lock, 10)))
      await rm(join(path, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
