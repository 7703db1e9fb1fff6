/** Files that hold a secret: their owner alone may read them, and no reader ever sees half of one. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

const ownerOnly = 0o600;

/** Creates a file with a secret for its owner alone. @throws Error where a file is there already */
export function createSecretFile(path: string, text: string): void {
  const file = openSync(path, "wx", ownerOnly);
  try {
    // The mode at the creation is cut by the umask.
    fchmodSync(file, ownerOnly);
    writeSync(file, text);
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

/** Replaces the text of a file at once; owner and mode stay. */
export function replaceSecretFile(path: string, text: string): void {
  const target = realpathSync(path);
  const { uid, gid, mode } = statSync(target);
  const next = `${target}.${process.pid}.new`;
  createSecretFile(next, text);
  chownSync(next, uid, gid);
  chmodSync(next, mode);
  renameSync(next, target);
  const folder = openSync(dirname(target), "r");
  fsyncSync(folder);
  closeSync(folder);
}
