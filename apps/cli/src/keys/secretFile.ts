/** Files that hold a secret: their owner alone may read them, and no reader ever sees half of one. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CommandError } from "../errors.ts";

const ownerOnly = 0o600;

/** Creates a file with a secret for its owner alone. @throws Error where a file is there already */
export function createSecretFile(path: string, text: string): void {
  const file = openSync(path, "wx", ownerOnly);
  try {
    // The mode at the creation is cut by the umask.
    fchmodSync(file, ownerOnly);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates a folder for its owner alone. */
export function createSecretFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/**
 * Replaces the text of a file at once by what `change` makes of it; owner and mode stay. The new file holds the old one meanwhile:
 * of two commands at once, one is refused. @throws CommandError, and what `change` throws; then the file is as it was
 */
export function replaceSecretFile(path: string, change: (before: string) => string): void {
  const target = realpathSync(path);
  const next = `${target}.new`;
  const file = openNext(target, next);
  try {
    const { uid, gid, mode } = statSync(target);
    writeFileSync(file, change(readFileSync(target, "utf8")));
    fchownSync(file, uid, gid);
    fchmodSync(file, mode);
    fsyncSync(file);
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  const folder = openSync(dirname(target), "r");
  fsyncSync(folder);
  closeSync(folder);
}

/** @throws CommandError while another command changes the file, or where one was killed while it did */
export function requireFree(path: string): void {
  const target = realpathSync(path);
  if (existsSync(`${target}.new`)) throw buildTaken(target);
}

const buildTaken = (target: string): CommandError =>
  new CommandError(
    `Another command changes ${target}, or was killed while it did. If none runs, remove ${target}.new and repeat this`,
  );

function openNext(target: string, next: string): number {
  try {
    return openSync(next, "wx", ownerOnly);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw buildTaken(target);
  }
}
