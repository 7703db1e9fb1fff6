/** Folders for the data of Postgres servers of a test run: in memory where there is room. */
import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. A container often has one of 64 MB. */
const memory = "/dev/shm";
/** A run keeps a few databases at a time, of 10 MB each, and a log of up to 1 GB. */
const freeBytesMin = 4 * 2 ** 30;
const prefix = "cardkeep-data-";

/**
 * Creates a folder that the caller removes. Postgres may enter it, although it runs as another user if the tests run as root.
 * A database has a thousand files, and a disk's file system needs 5 to 15 times as much processor time as memory to create
 * them.
 */
export async function createDataFolder({ onDisk = false } = {}): Promise<string> {
  await removeAbandoned(tmpdir());
  const folder = await mkdtemp(join(onDisk ? tmpdir() : await findParent(), `${prefix}${process.pid}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Whether a folder is in memory. */
export const isInMemory = (path: string): boolean => path.startsWith(`${memory}/`);

async function findParent(): Promise<string> {
  const space = await statfs(memory).catch(() => null);
  if (space === null || Math.min(space.bavail * space.bsize, freemem()) < freeBytesMin) return tmpdir();
  await removeAbandoned(memory);
  return memory;
}

/** Removes what killed processes left: their servers ended with them. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
