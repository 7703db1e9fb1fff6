import type { SettingName } from "./settingUses.ts";
import { nameSecret } from "./settingKeys.ts";

/** The secrets with which requests and callbacks were accepted, as one process saw them. */
export interface KeyUses {
  /** Records that a request or callback of this secret was accepted. */
  record(setting: SettingName, secret: string): void;
  /** Whether a key was used since the last call for it. */
  take(setting: SettingName, keyId: string): boolean;
}

/** Remembers secrets by their names. */
export function createKeyUses(): KeyUses {
  const used = new Set<string>();
  return {
    record: (setting, secret) => void used.add(`${setting} ${nameSecret(setting, secret)}`),
    take: (setting, keyId) => used.delete(`${setting} ${keyId}`),
  };
}
