/** What a process hands to the processes that it starts. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { buildKeyAddresses } from "./keyAddresses.ts";
import { isUsedBy, type ProcessRole, type SettingName, uses } from "./settingUses.ts";
import type { Settings } from "./settings.ts";

/** An environment without the secrets that a child does not use, and without their files. A child without a role gets none. */
export function buildChildEnvironment(env: NodeJS.ProcessEnv, role: ProcessRole | null): NodeJS.ProcessEnv {
  const names = keysOf(uses);
  const foreign = names.filter((name) => uses[name].isSecret && (role === null || !isUsedBy(name, role)));
  const removed = new Set<string>(foreign.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !removed.has(name)));
}

/** The settings that a server has in place of the worker's keys: their addresses and public halves. */
export function listPublicParts(settings: Settings): Record<string, string> {
  const known = buildKeyAddresses(settings);
  const keys = settings.webhookSigningKeys.map(({ d: _, ...key }) => key);
  const parts = {
    WEBHOOK_PUBLIC_KEYS: keys.length === 0 ? "" : JSON.stringify({ keys }),
    RELAYER_ADDRESSES: known.relayerAddresses.join(","),
    OPERATOR_ADDRESS: known.operatorAddress,
    SPENDER_ADDRESS: known.spenderAddress,
    FORMER_OPERATOR_ADDRESSES: known.formerOperatorAddresses.join(","),
    FORMER_SPENDER_ADDRESSES: known.formerSpenderAddresses.join(","),
  } satisfies Partial<Record<SettingName, string>>;
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ""));
}
