import { describeKey, type KeyState, listKeys } from "../keys/listKeys.ts";
import type { Services } from "../services.ts";
import { formatAge } from "../wording.ts";
import { type Finding, finding } from "./finding.ts";

const describe = (key: KeyState): string =>
  [`${key.keyId} for ${formatAge(key.ageSeconds)}`, describeKey(key)].filter((text) => text !== "").join(", ");

/** Names each key of the settings with its age and what hangs on it. */
export async function checkKeys(ctx: Pick<Services, "db" | "clock">): Promise<Finding> {
  const keys = await listKeys(ctx);
  if (keys.length === 0)
    return finding("keys", "warning", "No process has recorded its keys: start a server and a worker");
  const settings = Map.groupBy(keys, ({ setting }) => setting);
  return finding(
    "keys",
    "ok",
    [...settings].map(([setting, of]) => `${setting}: ${of.map(describe).join("; ")}`).join(". "),
  );
}
