/** Secrets from files: `NAME_FILE` holds the path of the file with the secret setting `NAME`. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { readFileSync, type Stats, statSync } from "node:fs";
import { environment } from "./environment.ts";
import { describeFileFault } from "./fileFault.ts";
import { listSettingsOf, type ProcessRole, type SettingName, uses } from "./settingUses.ts";

/** What the files of a process say. No text in it holds a secret, except `values`. */
export interface SecretFiles {
  /** The secrets by setting, without line breaks at the end. An empty text counts as not set. */
  readonly values: Readonly<Partial<Record<SettingName, string>>>;
  readonly paths: Readonly<Partial<Record<SettingName, string>>>;
  /** One line per file that cannot be used, with its setting and path. */
  readonly faults: readonly string[];
  /** One line per file that other users of the machine can read. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const bytesMax = 65_536;

/**
 * Reads the files of the secrets that a process uses. It opens no file of another secret.
 *
 * Without a role it reads the file of every secret.
 */
export function readSecretFiles(env: Environment, role: ProcessRole | null): SecretFiles {
  const names = role === null ? keysOf(environment.shape) : listSettingsOf(role);
  const values: Partial<Record<SettingName, string>> = {};
  const paths: Partial<Record<SettingName, string>> = {};
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    const fault = findFault(name, env);
    if (fault !== null) {
      faults.push(fault);
      continue;
    }
    paths[name] = path;
    const read = readSecretFile(path);
    if ("reason" in read) faults.push(`${name}_FILE: cannot use ${path}: ${read.reason}`);
    else values[name] = read.text;
    if ("warning" in read && read.warning !== null) warnings.push(`${name}_FILE: ${path} ${read.warning}`);
  }
  return { values, paths, faults, warnings };
}

function findFault(name: SettingName, env: Environment): string | null {
  if (!uses[name].isSecret) return `${name}_FILE: only secrets are read from files; set ${name} instead`;
  return env[name] ? `${name}: is set twice; remove ${name} or ${name}_FILE` : null;
}

function readSecretFile(path: string): { text: string; warning: string | null } | { reason: string } {
  try {
    const stats = statSync(path);
    // A pipe has no end, and a device may have none.
    if (!stats.isFile()) return { reason: stats.isDirectory() ? "it is a folder" : "it is no regular file" };
    if (stats.size > bytesMax) return { reason: `it has more than ${bytesMax} bytes` };
    const text = decode(readFileSync(path));
    return text === null ? { reason: "it is no text in UTF-8" } : { text, warning: findExposure(stats) };
  } catch (error) {
    const reason = describeFileFault(error);
    if (reason === null) throw error;
    return { reason };
  }
}

function decode(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text.replace(/[\r\n]+$/, "");
  } catch {
    return null;
  }
}

/**
 * Which other users can read or change a file; null for none.
 *
 * The group may read a file of another user, if this process is in it: only root can give a file to a process, as Kubernetes'
 * `fsGroup` does.
 */
function findExposure({ mode, uid, gid }: Stats): string | null {
  if ((mode & 0o007) !== 0) return "is open to every user of the machine; run `chmod o-rwx` on it";
  const ownGroups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  const isNeeded = uid !== process.geteuid?.() && ownGroups.includes(gid);
  const isOpenToGroup = (mode & (isNeeded ? 0o030 : 0o070)) !== 0;
  return isOpenToGroup ? "is open to its group; run `chmod g-rwx` on it" : null;
}
