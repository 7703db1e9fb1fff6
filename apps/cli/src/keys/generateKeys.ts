/** A complete set of secrets for production, with the settings of each process beside it. */
import { createLocalSigner } from "@cardkeep/chain/signer";
import { listSettingsOf, type ProcessRole, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { privateKey } from "@cardkeep/runtime/settings/types";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandError } from "../errors.ts";
import { isCreated, createKey } from "./createKey.ts";
import { buildProcessFile, type ChainAddresses, isChainKey } from "./processFile.ts";
import { createSecretFile, createSecretFolder } from "./secretFile.ts";

const roles: readonly ProcessRole[] = ["server", "worker", "migrate"];

export interface KeySet {
  readonly folder: string;
  /** Null where the keys are at signers. */
  readonly addresses: ChainAddresses | null;
  /** What the operator still has to fill in, with the files: those of secrets, or those of processes. */
  readonly blanks: readonly { readonly name: SettingName; readonly files: readonly string[] }[];
}

/**
 * Writes the set into a new or empty folder. With `isRemote` the keys of the chain are at signers, and none is made.
 * @throws CommandError where the folder holds anything
 */
export function generateKeys(input: { out: string; relayers: number; isRemote: boolean }): KeySet {
  const folder = resolve(input.out);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(`${folder} is not empty, and nothing in it is overwritten. Name another folder with --out`);
  const secrets = join(folder, "secrets");
  const made = makeAll(input);
  const addresses = input.isRemote ? null : findAddresses(made);
  const blanks = new Map<SettingName, string[]>();
  const files = new Map<string, SettingName>();
  // The migration has another database role, and so another address, than servers and workers.
  const ofMigration = join(secrets, "migrate");
  for (const each of [folder, secrets, ofMigration]) createSecretFolder(each);
  for (const role of roles) {
    const path = join(folder, `${role}.env`);
    const own = role === "migrate" ? ofMigration : secrets;
    const file = buildProcessFile(role, { made, addresses, secrets: own });
    createSecretFile(path, file.text);
    for (const name of file.secrets) files.set(join(own, name), name);
    for (const name of file.blanks) {
      const place = uses[name].isSecret ? join(own, name) : path;
      blanks.set(name, [...new Set([...(blanks.get(name) ?? []), place])]);
    }
  }
  for (const [path, name] of files) createSecretFile(path, made.get(name) ?? "");
  return { folder, addresses, blanks: [...blanks].map(([name, addresses]) => ({ name, files: addresses })) };
}

/** The secrets that this program makes, as text by setting. */
function makeAll({ relayers, isRemote }: { relayers: number; isRemote: boolean }): Map<SettingName, string> {
  const made = new Map<SettingName, string>();
  for (const name of roles.flatMap((role) => listSettingsOf(role))) {
    if (!isCreated(name) || made.has(name) || (isRemote && isChainKey(name))) continue;
    const keys = Array.from({ length: name === "RELAYER_PRIVATE_KEYS" ? relayers : 1 }, () => createKey(name));
    made.set(name, keys.every((key) => key.startsWith("{")) ? `{"keys":[${keys.join(",")}]}` : keys.join(","));
  }
  return made;
}

function findAddresses(made: ReadonlyMap<SettingName, string>): ChainAddresses {
  const addressesOf = (name: SettingName): string[] =>
    (made.get(name) ?? "").split(",").map((key) => createLocalSigner(privateKey.parse(key)).address);
  const [operator = ""] = addressesOf("OPERATOR_PRIVATE_KEY");
  const [spender = ""] = addressesOf("SPENDER_PRIVATE_KEY");
  return { relayers: addressesOf("RELAYER_PRIVATE_KEYS"), operator, spender };
}
