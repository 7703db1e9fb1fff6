/** Records in the database which keys this process holds and uses, for `doctor` and `cardkeep keys`. */
import { recordHeldKeys } from "@cardkeep/db/queries/core/keys";
import { recordPartnerKeyUses } from "@cardkeep/db/queries/partners/partners";
import { heldSecondsMax, isRuled, keyRules } from "@cardkeep/domain/operations/keys/keyRules";
import type { Runtime } from "./compose.ts";
import { listSettingKeys } from "./settingKeys.ts";
import { startRecords } from "./startRecords.ts";

const everyMs = 20_000;

/** Records the keys that the process holds now. */
export async function recordKeys({
  db,
  settings,
  keyUses,
}: Pick<Runtime, "db" | "settings" | "keyUses">): Promise<void> {
  const keys = listSettingKeys(settings).map(({ setting, keyId, isFirst }) => {
    const isAccepted = isRuled(setting) && keyRules[setting].kind === "accepted";
    return { setting, keyId, isUsed: isAccepted ? keyUses.take(setting, keyId) : isFirst };
  });
  await recordHeldKeys(db, keys, heldSecondsMax);
}

/** Records which API keys of partners this process accepted since the last call. */
export async function recordPartnerKeys({
  db,
  clock,
  partnerKeyUses,
}: Pick<Runtime, "db" | "clock" | "partnerKeyUses">): Promise<void> {
  const ids = [...partnerKeyUses];
  if (ids.length === 0) return;
  await recordPartnerKeyUses(db, ids, await clock.now(db));
  // One that was used meanwhile was used now.
  for (const id of ids) partnerKeyUses.delete(id);
}

/** Records the keys at once and every 20 s. */
export const startKeyRecords = (runtime: Runtime): { stop(): Promise<void> } =>
  startRecords(runtime, {
    everyMs,
    warning: "The keys of this process were not recorded. Trying again",
    record: async () => {
      await recordKeys(runtime);
      await recordPartnerKeys(runtime);
    },
  });
