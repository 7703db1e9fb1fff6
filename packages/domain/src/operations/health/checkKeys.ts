import { formatAge } from "@cardkeep/contract/core/durations";
import { isRuled } from "../keys/keyRules.ts";
import { describeKey, type KeyState, listKeys } from "../keys/listKeys.ts";
import type { Services } from "../../core/services.ts";
import { type Finding, finding } from "./finding.ts";

const describe = (key: KeyState): string =>
  [`${key.setting}: ${key.keyId} for ${formatAge(key.ageSeconds)}`, describeKey(key)]
    .filter((text) => text !== "")
    .join(", ");

/** Counts the keys of the settings, and names those of settings in rotation and those that no process holds, a line each. */
export async function checkKeys(ctx: Pick<Services, "db" | "clock">): Promise<Finding[]> {
  const keys = await listKeys(ctx);
  if (keys.length === 0)
    return [finding("keys", "warning", "No process has recorded its keys: start a server and a worker")];
  const settings = Map.groupBy(keys, ({ setting }) => setting);
  const isRotated = ({ setting }: KeyState) => isRuled(setting) && (settings.get(setting)?.length ?? 0) > 1;
  const named = keys.filter((key) => isRotated(key) || key.held === "nowhere");
  return [
    finding("keys", "ok", `${keys.length} keys of ${settings.size} settings; \`cardkeep keys list\` shows each`),
    ...named.map((key) => finding("keys", "ok", describe(key))),
  ];
}
