/** A data directory of Postgres that ephemeral starts copy: with a database of this version, and nothing in it. */
import { migrate } from "@cardkeep/db/migrate";
import { productMigrations } from "@cardkeep/db/migrations";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fingerprint } from "./fingerprint.ts";
import { startPostgres } from "./postgres.ts";
import { locateBinaries, locateData } from "./postgresFiles.ts";
import { sweepTemplates } from "./sweepTemplates.ts";

/**
 * Fills `dataDirectory` with a copy of the template in `cacheDirectory`. The first call for a version makes the template; each call
 * removes those that were not used for long.
 */
export async function copyTemplate(cacheDirectory: string, dataDirectory: string): Promise<void> {
  const template = join(cacheDirectory, `postgres-${fingerprint(describeOrigin())}`);
  const target = locateData(dataDirectory);
  if (!existsSync(template)) await makeTemplate(cacheDirectory, template);
  await copyInto(target, template).catch(async (error: unknown) => {
    if (existsSync(template)) throw error;
    // No start had used it for long, and one of another version has just removed it.
    await rm(target, { recursive: true, force: true });
    await makeTemplate(cacheDirectory, template);
    await copyInto(target, template);
  });
  await sweepTemplates(cacheDirectory, template);
}

async function copyInto(target: string, template: string): Promise<void> {
  const data = realpathSync(template);
  const now = new Date();
  await utimes(data, now, now).catch(() => {
    // A folder that only another user may write to is copied too.
  });
  await mkdir(target, { recursive: true, mode: 0o700 });
  // It keeps the owner, which Postgres checks, and is the fastest copy of many small files.
  await run(["cp", "-a", `${data}/.`, target]);
}

/** Other migrations or another Postgres make another template, and so does another month: it has other partitions. */
function describeOrigin(): unknown {
  const { folder } = productMigrations;
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const month = new Date().toISOString().slice(0, 7);
  return [month, locateBinaries(), names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"))];
}

/** Two processes that make it at once make the same; the first one's stays. */
async function makeTemplate(cacheDirectory: string, template: string): Promise<void> {
  await mkdir(cacheDirectory, { recursive: true });
  const partial = `${template}.${randomUUID()}`;
  const postgres = await startPostgres({ dataDirectory: partial, fsync: false });
  try {
    await migrate(postgres.url);
  } finally {
    await postgres.stop();
  }
  await rename(partial, template).catch(async (error: unknown) => {
    if (!existsSync(template)) throw error;
    await rm(realpathSync(partial), { recursive: true });
    await rm(partial, { force: true });
  });
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const text = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${text.trim()}`);
}
