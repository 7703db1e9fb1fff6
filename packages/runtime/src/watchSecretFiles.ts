/** Takes up changed files of secrets while a process runs. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import type { Log } from "@cardkeep/domain/core/ports";
import type { Runtime } from "./compose.ts";
import { type ProcessRole, uses } from "./settingUses.ts";
import { readSecretFiles, type SecretFiles } from "./secretFiles.ts";
import { readSettings, SettingsError } from "./settings.ts";

/** A change is taken up at the second look that finds it, so within half a minute. */
const everyMs = 15_000;
/** On SIGHUP the second look follows after this time. */
const settleMs = 100;

export interface SecretWatch {
  /** Looks twice now, as on SIGHUP. Resolves when a change is taken up or refused. */
  check(): Promise<void>;
  stop(): void;
}

interface Watched {
  readonly runtime: Pick<Runtime, "settings" | "refresh"> & { readonly log: Log };
  readonly role: ProcessRole;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called after a change; a failure is logged, and tried again at the next look. */
  readonly onChange?: () => Promise<void>;
}

/**
 * Looks at the files every 15 s and on SIGHUP. Without files it does nothing, and SIGHUP ends the process as it does any other.
 *
 * A change counts once two looks in a row find the same, so that a process does not take up one of two files that are written
 * one after the other. An invalid change is refused as a whole, with a line in the log, and the present secrets stay.
 */
export function watchSecretFiles({ runtime, role, env = process.env, onChange }: Watched): SecretWatch {
  const { secretFiles } = runtime.settings;
  if (Object.keys(secretFiles.paths).length === 0) return { check: async () => {}, stop: () => {} };
  /** The files as they were last taken up or refused, and at the last look. */
  let handled = secretFiles;
  let seen = secretFiles;
  /** Never throws: a look that failed must not end the watch. */
  const look = async (): Promise<void> => {
    try {
      await takeUpChanges(readSecretFiles(env, role));
    } catch (error) {
      runtime.log.warn({ err: error }, "The files of secrets could not be read. Trying again");
    }
  };
  const takeUpChanges = async (read: SecretFiles): Promise<void> => {
    const isSettled = isSame(read, seen);
    seen = read;
    if (!isSettled || isSame(read, handled)) return;
    const before = handled;
    handled = read;
    try {
      await takeUp({ runtime, role, env, read, before });
      await onChange?.();
    } catch (error) {
      if (error instanceof SettingsError) return logRefusal(runtime, error.message);
      runtime.log.warn({ err: error }, "Changed secrets were not taken up completely. Trying again");
      handled = before;
    }
  };
  let looking = Promise.resolve();
  const lookNext = (): Promise<void> => (looking = looking.then(look));
  const check = async (): Promise<void> => {
    await lookNext();
    await Bun.sleep(settleMs);
    await lookNext();
  };
  const answerSignal = (): void => void check();
  process.on("SIGHUP", answerSignal);
  const timer = setInterval(() => void lookNext(), everyMs).unref();
  return {
    check,
    stop: () => {
      clearInterval(timer);
      process.off("SIGHUP", answerSignal);
    },
  };
}

interface Change extends Required<Pick<Watched, "runtime" | "role" | "env">> {
  readonly read: SecretFiles;
  readonly before: SecretFiles;
}

/** @throws SettingsError for an invalid change */
async function takeUp({ runtime, role, env, read, before }: Change): Promise<void> {
  const { values } = runtime.settings.secretFiles;
  const names = keysOf(read.paths);
  const emptied = names.filter((name) => read.values[name] === "" && values[name]);
  const faults = [...read.faults, ...emptied.map((name) => `${name}_FILE: ${read.paths[name]} is empty now`)];
  if (faults.length > 0) throw new SettingsError(faults.join("\n"));
  readSettings(env, role, read);
  const fixed = names.filter((name) => !uses[name].isRefreshed);
  const kept = Object.fromEntries(fixed.map((name) => [name, values[name]]));
  const refreshed = names.filter((name) => !fixed.includes(name) && read.values[name] !== values[name]);
  if (refreshed.length > 0) {
    await runtime.refresh(readSettings(env, role, { ...read, values: { ...read.values, ...kept } }));
    runtime.log.info({ settings: refreshed }, "Changed secrets were taken up");
  }
  for (const warning of read.warnings.filter((text) => !before.warnings.includes(text))) runtime.log.warn({}, warning);
  const waiting = fixed.filter((name) => read.values[name] !== before.values[name]);
  if (waiting.length > 0) runtime.log.warn({ settings: waiting }, "Changed secrets take effect at the next start");
}

const logRefusal = ({ log }: Watched["runtime"], faults: string): void =>
  log.error({ faults: faults.split("\n") }, "Changed secrets were refused. The present ones stay");

const isSame = (a: SecretFiles, b: SecretFiles): boolean =>
  JSON.stringify([a.values, a.faults]) === JSON.stringify([b.values, b.faults]);
