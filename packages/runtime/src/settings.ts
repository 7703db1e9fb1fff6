/** Settings: the only place that reads the environment. It reports all faults at once. */
import type { SettingRules } from "@cardkeep/domain/rules";
import { z } from "zod";
import { developmentDefaults, listProductionFaults } from "./production.ts";
import { accessEnvironment, readAccess } from "./settings/access.ts";
import { accountEnvironment, readAccounts } from "./settings/accounts.ts";
import { cardEnvironment, readCards } from "./settings/cards.ts";
import { chainEnvironment, readChain } from "./settings/chain.ts";
import { databaseEnvironment, listDatabaseFaults, readDatabase } from "./settings/database.ts";
import { buildEmoneyRules, emoneyEnvironment, readEmoney } from "./settings/emoney.ts";
import { issuerEnvironment, readIssuer } from "./settings/issuer.ts";
import { keyEnvironment, keySettings, listKeyFaults, readKeys } from "./settings/keys.ts";
import { kycEnvironment, readKyc } from "./settings/kyc.ts";
import { limitEnvironment, readLimits } from "./settings/limits.ts";
import { messageEnvironment, readMessages } from "./settings/messages.ts";
import { listMoneyFaults, moneyEnvironment, readMoney } from "./settings/money.ts";
import { processEnvironment, readProcess } from "./settings/process.ts";

/** The environment as text, by groups. Descriptions and defaults are the source of `.env.example`. */
export const environment = z.object({
  ...processEnvironment,
  ...databaseEnvironment,
  ...keyEnvironment,
  ...chainEnvironment,
  ...accountEnvironment,
  ...moneyEnvironment,
  ...accessEnvironment,
  ...limitEnvironment,
  ...cardEnvironment,
  ...kycEnvironment,
  ...emoneyEnvironment,
  ...issuerEnvironment,
  ...messageEnvironment,
});

export type Settings = ReturnType<typeof readSettings>;

/** All faults of the environment, one per line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/**
 * Reads and checks the environment.
 * @throws SettingsError naming every fault
 */
export function readSettings(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const isProduction = given["NODE_ENV"] === "production";
  const parsed = environment.safeParse(isProduction ? given : addDefaults(given));
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (parsed.success)
    faults.push(...listMoneyFaults(parsed.data), ...listDatabaseFaults(parsed.data), ...listKeyFaults(parsed.data));
  if (isProduction) faults.push(...listProductionFaults(given));
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults.join("\n"));
  const e = parsed.data;
  const parts = readProcess(e, given);
  const kyc = readKyc(e, parts);
  const emoney = readEmoney(e, parts);
  /** What verbs decide by, besides what follows from the keys. */
  const rules: SettingRules = {
    ...readChain(e),
    ...readAccounts(e),
    ...readMoney(e),
    ...readAccess(e, parts),
    ...readLimits(e),
    ...readCards(e),
    kycShareClientId: kyc.shareClientId,
    emoney: buildEmoneyRules(emoney, parts),
  };
  return {
    ...parts,
    ...readDatabase(e),
    ...readKeys(e),
    ...readMessages(e, parts),
    kyc,
    emoney,
    issuer: readIssuer(e, parts),
    /** Null: orders with an ENS name are rejected. */
    ensRpcUrl: e.ENS_RPC_URL ?? null,
    /** Null in every process except the worker. */
    cardEncryptionKey: e.CARD_ENCRYPTION_KEY ?? null,
    rules,
  };
}

/** The environment with the development values. A signer takes the place of a development key. */
function addDefaults(given: Readonly<Record<string, string>>): Record<string, string> {
  const replaced = keySettings.flatMap(([key, held]) => (given[held] === undefined ? [] : [key as string]));
  const defaults = Object.entries(developmentDefaults).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(defaults), ...given };
}

/** The settings of this process. @throws SettingsError */
export const loadSettings = (): Settings => readSettings(process.env);

/**
 * The addresses of a process that migrates, which needs no other setting.
 * @throws SettingsError
 */
export function loadMigrationAddresses(): { url: string; sessionUrl: string } {
  const given = Object.entries(process.env).filter(([, value]) => value);
  const parsed = z.object(databaseEnvironment).safeParse(Object.fromEntries(given));
  const faults = parsed.success
    ? listDatabaseFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (faults.length > 0) throw new SettingsError(faults.join("\n"));
  const { databaseUrl: url, databaseSessionUrl: sessionUrl = url } = parsed.success ? readDatabase(parsed.data) : {};
  if (url === undefined || sessionUrl === undefined) throw new SettingsError("DATABASE_URL: is required");
  return { url, sessionUrl };
}
