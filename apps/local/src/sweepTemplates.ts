import { randomUUID } from "node:crypto";
import { lstat, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const dayMs = 24 * 60 * 60 * 1000;
/** Each version has a template of its own, each place of its programs too, and each month. */
const unusedMsMax = 30 * dayMs;

/** Also what a start left that was killed while it made one. */
const isTemplate = (name: string): boolean => /^postgres-[0-9a-f]{16}(\.|$)/.test(name);

/** Removes the templates of a cache folder that no start has used for 30 days, except for `current`. */
export async function sweepTemplates(cacheDirectory: string, current: string): Promise<void> {
  for (const name of await readdir(cacheDirectory)) {
    const template = join(cacheDirectory, name);
    if (!isTemplate(name) || template === current) continue;
    try {
      if ((await readLastUse(template)) < Date.now() - unusedMsMax) await removeTemplate(template);
    } catch {
      // Another start removed it first, or the folder is another user's.
    }
  }
}

/** A start sets the time of the folder that it copies. The folder of a link may be gone. */
const readLastUse = async (template: string): Promise<number> =>
  (await stat(template).catch(() => lstat(template))).mtimeMs;

/** Its name and its data are gone at once, so that no start copies a part of it. */
async function removeTemplate(template: string): Promise<void> {
  const removed = `${template}.${randomUUID()}`;
  await rename(template, removed);
  // A link may point to the data in another folder.
  const data = await realpath(removed).catch(() => null);
  if (data !== null) {
    const removedData = `${data}.${randomUUID()}`;
    await rename(data, removedData);
    await rm(removedData, { recursive: true });
  }
  await rm(removed, { recursive: true, force: true });
}
