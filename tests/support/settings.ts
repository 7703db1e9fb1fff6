import type { ProcessRole } from "@cardkeep/runtime/settingUses";
import { readSettings, SettingsError } from "@cardkeep/runtime/settings";

/** The faults of an environment, a line each; none where it is valid. */
export function listSettingsFaults(env: Record<string, string>, role: ProcessRole | null = null): string[] {
  try {
    readSettings(env, role);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split("\n");
  }
}
