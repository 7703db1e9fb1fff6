import { existsSync } from "node:fs";
import { readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockData } from "./dataLock.ts";

/** What the folder of an ephemeral start is called; six letters follow. */
export const ephemeralPrefix = "cardkeep-";
const isEphemeral = (name: string): boolean => /^cardkeep-[A-Za-z0-9]{6}$/.test(name);

/** Removes the folders of ephemeral starts that were killed: no process holds their locks any more. */
export async function sweepData(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const home = join(folder, name);
    // A start that has just made its folder has no lock in it yet.
    if (!isEphemeral(name) || !existsSync(join(home, "start.lock"))) continue;
    try {
      const unlock = lockData(home);
      await removeData(home);
      unlock();
    } catch {
      // Its start is alive, or the folder is another user's.
    }
  }
}

/** Removes a start's folder, with its data. */
export async function removeData(home: string): Promise<void> {
  // A link may point to the data in another folder.
  const data = await realpath(join(home, "postgres")).catch(() => null);
  if (data !== null) await rm(data, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}
