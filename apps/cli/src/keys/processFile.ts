/** The settings of one process for production: paths of secrets, addresses, and blanks for the operator. */
import { version } from "@cardkeep/contract/version";
import { isRequired } from "@cardkeep/runtime/requiredSettings";
import { type ProcessRole, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { keySettings } from "@cardkeep/runtime/settings/keys";
import { join } from "node:path";
import { listPublicKeys } from "./keyList.ts";
import { type Entry, listEntries, renderEntries } from "../manifests/environment.ts";

/** Seconds that HAProxy needs to see that a server leaves, with its default checks, and two more. */
const drainSeconds = 8;

const chainKeys: readonly string[] = keySettings.map(([key]) => key);
const chainSigners: readonly string[] = keySettings.map(([, held]) => held);

/** Whether a setting holds a private key of the chain. */
export const isChainKey = (name: SettingName): boolean => chainKeys.includes(name);

/** The addresses of the keys of the chain. */
export interface ChainAddresses {
  readonly relayers: readonly string[];
  readonly operator: string;
  readonly spender: string;
}

export interface ProcessFile {
  readonly text: string;
  /** Secrets of which the process gets a file. */
  readonly secrets: readonly SettingName[];
  /** Settings that the operator has to fill in. */
  readonly blanks: readonly SettingName[];
}

/** Builds the file of a process. Without `addresses` the keys of the chain are at signers. */
export function buildProcessFile(
  role: ProcessRole,
  input: { made: ReadonlyMap<SettingName, string>; addresses: ChainAddresses | null; secrets: string },
): ProcessFile {
  const { made, secrets } = input;
  const installation = { namespace: "", image: "", version, drainSeconds, serviceAccount: null };
  const fill = (entry: Entry): Entry => ({
    ...entry,
    isActive: isActive(entry, role, input),
    value: findValue(entry.name, input) ?? entry.value,
  });
  const entries = [false, true].flatMap((isSecret) => listEntries(role, isSecret, installation)).map(fill);
  const active = entries.filter((entry) => entry.isActive);
  const isBlank = ({ name, value }: Entry): boolean => (uses[name].isSecret ? !made.has(name) : value === "");
  const line = ({ name, value }: Entry): string =>
    uses[name].isSecret ? `${name}_FILE=${join(secrets, name)}` : `${name}=${value}`;
  return {
    text: `# Settings of the ${role} process.\n${renderEntries(entries, "", line)}`,
    secrets: active.filter(({ name }) => uses[name].isSecret).map(({ name }) => name),
    blanks: active.filter(isBlank).map(({ name }) => name),
  };
}

/** An optional secret gets no file: its line shows where one would be. */
function isActive(
  { name, isActive: isNeeded }: Entry,
  role: ProcessRole,
  { made, addresses }: { made: ReadonlyMap<SettingName, string>; addresses: ChainAddresses | null },
): boolean {
  if (isChainKey(name)) return addresses !== null;
  if (chainSigners.includes(name)) return addresses === null;
  return uses[name].isSecret ? made.has(name) || isRequired(name, role) : isNeeded;
}

/** What follows from the keys. */
function findValue(
  name: SettingName,
  { made, addresses }: { made: ReadonlyMap<SettingName, string>; addresses: ChainAddresses | null },
): string | null {
  if (name === "WEBHOOK_PUBLIC_KEYS") return listPublicKeys(made.get("WEBHOOK_SIGNING_KEYS") ?? "");
  if (addresses === null) return null;
  if (name === "RELAYER_ADDRESSES") return addresses.relayers.join(",");
  if (name === "OPERATOR_ADDRESS") return addresses.operator;
  return name === "SPENDER_ADDRESS" ? addresses.spender : null;
}
