/** Which settings a process requires in production. */
import { environment } from "./environment.ts";
import { requiredAddresses, requiredProviders } from "./production.ts";
import type { ProcessRole, SettingName } from "./settingUses.ts";
import { keySettings } from "./settings/keys.ts";

/** Settings that one process alone requires. */
const requiredBy: Readonly<Record<ProcessRole, readonly SettingName[]>> = {
  server: [
    "ACCESS_TOKEN_KEYS",
    "WEBHOOK_PUBLIC_KEYS",
    "RELAYER_ADDRESSES",
    "OPERATOR_ADDRESS",
    "SPENDER_ADDRESS",
    "CODE_PEPPER",
    "KYC_CALLBACK_SECRET",
    "CARD_ISSUER_CALLBACK_SECRETS",
  ],
  worker: [
    "WEBHOOK_SIGNING_KEYS",
    "RELAYER_PRIVATE_KEYS",
    "OPERATOR_PRIVATE_KEY",
    "SPENDER_PRIVATE_KEY",
    "CARD_ENCRYPTION_KEY",
  ],
  migrate: [],
};

/** Settings of which one is enough, each with those that may take its place. */
export const substitutes: Readonly<Partial<Record<SettingName, readonly SettingName[]>>> = {
  WEBHOOK_PUBLIC_KEYS: ["WEBHOOK_SIGNING_KEYS"],
  ...Object.fromEntries(
    keySettings.flatMap(([key, held, address]) => [
      [key, [held]],
      [address, [key, held]],
    ]),
  ),
};

/** The faults of settings that a process alone requires. */
export const listRoleFaults = (given: Readonly<Record<string, string>>, role: ProcessRole): string[] =>
  requiredBy[role]
    .map((name) => ({ name, others: substitutes[name] ?? [] }))
    .filter(({ name, others }) => [name, ...others].every((each) => given[each] === undefined))
    .map(({ name, others }) => `${name}: is required by the ${role}${others.map((other) => `, or ${other}`).join("")}`);

/** Whether a process does not start in production without a value for a setting that it reads. */
export const isRequired = (name: SettingName, role: ProcessRole): boolean =>
  [...requiredAddresses, ...requiredProviders, ...requiredBy[role]].includes(name) ||
  !environment.shape[name].safeParse(undefined).success;
