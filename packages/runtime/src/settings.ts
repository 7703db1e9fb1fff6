/** Settings: the only place that reads the environment. It reports all faults at once. */
import type { SettingPolicy } from "@cardkeep/domain/core/policy";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { z } from "zod";
import { environment } from "./environment.ts";
import { developmentDefaults, listProductionFaults, listSharedKeyFaults } from "./production.ts";
import { listRoleFaults, substitutes } from "./requiredSettings.ts";
import { isUsedBy, listUnused, type ProcessRole, type SettingName } from "./settingUses.ts";
import { readSecretFiles, type SecretFiles } from "./secretFiles.ts";
import { readAccess } from "./settings/access.ts";
import { readAccounts } from "./settings/accounts.ts";
import { readBooks } from "./settings/books.ts";
import { readCards } from "./settings/cards.ts";
import { readChain } from "./settings/chain.ts";
import { databaseEnvironment, listDatabaseFaults, readDatabase } from "./settings/database.ts";
import { buildEmoneyRules, readEmoney } from "./settings/emoney.ts";
import { readIssuer } from "./settings/issuer.ts";
import { keySettings, listKeyFaults, listMissingKeys, readKeys } from "./settings/keys.ts";
import { readKyc, readKycRules } from "./settings/kyc.ts";
import { readRecordRules } from "./settings/records.ts";
import { readLimits } from "./settings/limits.ts";
import { readMessages } from "./settings/messages.ts";
import { listProgrammeFaults, readLanguageFiles, readProgramme } from "./settings/programme.ts";
import { listMoneyFaults, readMoney } from "./settings/money.ts";
import { listOperatorFaults, readOpenid, readOperators } from "./settings/operators.ts";
import { processEnvironment, readProcess } from "./settings/process.ts";
import { readStatements } from "./settings/statements.ts";
import { listTopUpFaults, readTopUpKey, readTopUps } from "./settings/topUps.ts";
import { listTreasuryFaults, readTreasury, readTreasuryKeys, treasuryKeySettings } from "./settings/treasury.ts";

export type Settings = ReturnType<typeof readSettings>;

/** Where an address comes from: the environment, the running start of CARDKEEP_HOME, or its default, which may be another's. */
export type Origin = "given" | "found" | "guessed";
type Origins = Readonly<Record<"database" | "service" | "sandbox", Origin>>;
const allGiven: Origins = { database: "given", service: "given", sandbox: "given" };

/** All faults of the environment, one per line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/**
 * Reads and checks the environment, and the files of the secrets that `role` uses; without a role, of every secret.
 * @throws SettingsError naming every fault
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  role: ProcessRole | null = null,
  secretFiles = readSecretFiles(env, role),
) {
  const given = listGiven({ ...env, ...secretFiles.values });
  const isProduction = given["NODE_ENV"] === "production";
  const complete = isProduction ? given : addDefaults(given, role);
  const parsed = environment.safeParse(complete, { error: nameMissing });
  const faults = parsed.success ? [] : listIssues(parsed.error);
  if (parsed.success)
    for (const list of [
      listProgrammeFaults,
      listMoneyFaults,
      listDatabaseFaults,
      listKeyFaults,
      listTopUpFaults,
      listTreasuryFaults,
      listOperatorFaults,
    ])
      faults.push(...list(parsed.data));
  if (!isProduction && parsed.success) faults.push(...listSharedKeyFaults(complete));
  if (isProduction) faults.push(...listProductionFaults(given, (name) => isUsedBy(name, role)));
  if (role === null && parsed.success) faults.push(...listMissingKeys(parsed.data));
  if (role !== null) faults.push(...listRoleFaults(complete, role).filter((text) => !isNamed(faults, text)));
  const all = addFileFaults(secretFiles, faults);
  if (!parsed.success || all.length > 0) throw new SettingsError(all.join("\n"));
  const e = parsed.data;
  const parts = readProcess(e, given);
  const kyc = readKyc(e, parts);
  const emoney = readEmoney(e, parts);
  /** What verbs decide by, besides what follows from the keys. */
  const policy: SettingPolicy = {
    ...readChain(e),
    ...readAccounts(e),
    ...readMoney(e),
    ...readTopUps(e),
    ...readTreasury(e),
    ...readAccess(e, parts),
    ...readLimits(e),
    ...readCards(e),
    ...readKycRules(e),
    ...readRecordRules(e),
    ...readStatements(e),
    ...readBooks(e),
    operators: readOperators(e, parts),
    emoney: buildEmoneyRules(emoney, parts),
    programme: readProgramme(e),
  };
  return {
    ...parts,
    ...readDatabase(e),
    ...readKeys(e),
    ...readTopUpKey(e),
    ...readTreasuryKeys(e),
    ...readMessages(e, parts),
    languageFiles: readLanguageFiles(e),
    /** Null: operators sign in with the shared key alone. */
    openid: readOpenid(e, parts),
    operatorCli: e.OPERATOR_CLI,
    kyc,
    emoney,
    issuer: readIssuer(e, parts),
    /** Null: orders with an ENS name are rejected. */
    ensRpcUrl: e.ENS_RPC_URL ?? null,
    /** Empty in every process except the worker. */
    cardEncryptionKeys: e.CARD_ENCRYPTION_KEY ?? [],
    secretFiles,
    /** Only a program beside the others looks for them. */
    origins: allGiven,
    /** Secrets in the environment of a production process that does not use them. */
    unusedSecrets: isProduction && role !== null ? listUnused(env, role) : [],
    policy,
  };
}

const listGiven = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** A setting that is not there is missing; every other fault has the words of its schema. */
const nameMissing = ({ code, input }: { code: string; input?: unknown }): string | undefined =>
  code === "invalid_type" && input === undefined ? "is missing" : undefined;

const listIssues = ({ issues }: z.ZodError): string[] =>
  issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);

const nameOf = (fault: string): string => fault.split(/[:.]/)[0] ?? "";
/** Whether a setting has another fault already. */
const isNamed = (faults: readonly string[], fault: string): boolean => faults.map(nameOf).includes(nameOf(fault));

/** Adds the faults of files. A secret whose file cannot be used is missing too, which needs no second line. */
function addFileFaults({ paths, values, faults }: SecretFiles, others: readonly string[]): string[] {
  const unread = Object.keys(paths).filter((name) => !(name in values));
  return [...faults, ...others.filter((fault) => !unread.includes(nameOf(fault)))];
}

/** The environment with the development values. A signer takes the place of a development key; in a server, so does an address. */
function addDefaults(given: Readonly<Record<string, string>>, role: ProcessRole | null): Record<string, string> {
  const bySigner = [...keySettings, ...treasuryKeySettings].flatMap(([key, held]) =>
    given[held] === undefined ? [] : [key as string],
  );
  const byAddress = Object.entries(substitutes)
    .filter(([name]) => given[name] !== undefined)
    .flatMap(([, others]) => others.filter((other) => role !== null && !isUsedBy(other, role)) as string[]);
  // The development key of an account signs for the development address alone.
  const byAccount = treasuryKeySettings.flatMap(([key]) => {
    const name = key.replace("PRIVATE_KEY", "ADDRESS");
    return (given[name] ?? developmentDefaults[name]) === developmentDefaults[name] ? [] : [key as string];
  });
  const without = [...bySigner, ...byAddress, ...byAccount];
  const defaults = Object.entries(developmentDefaults).filter(([name]) => !without.includes(name));
  return { ...Object.fromEntries(defaults), ...given };
}

/** Checks a new text of one setting as the processes of these settings will. @throws SettingsError naming its faults */
export function checkSetting(name: SettingName, text: string, { production }: Pick<Settings, "production">): void {
  readSettings({ [name]: text });
  const ofProduction = production ? listProductionFaults({ [name]: text }, () => false) : [];
  const faults = ofProduction.filter((fault) => nameOf(fault) === name);
  if (faults.length > 0) throw new SettingsError(faults.join("\n"));
}

/** The settings of this process. @throws SettingsError */
export const loadSettings = (role: ProcessRole | null = null): Settings => readSettings(process.env, role);

/**
 * The addresses of a process that migrates, which needs no other setting. A misspelt NODE_ENV is refused as everywhere.
 * @throws SettingsError
 */
export function loadMigrationAddresses(): {
  url: string;
  sessionUrl: string;
  serviceRole: string;
  warnings: readonly string[];
} {
  const secretFiles = readSecretFiles(process.env, "migrate");
  const given = listGiven({ ...process.env, ...secretFiles.values });
  const parsed = z.object({ NODE_ENV: processEnvironment.NODE_ENV, ...databaseEnvironment }).safeParse(given);
  const faults = parsed.success ? listDatabaseFaults(parsed.data) : listIssues(parsed.error);
  const {
    databaseUrl: url,
    databaseSessionUrl: sessionUrl = url,
    databaseServiceRole: serviceRole = serviceRoleDefault,
  } = parsed.success ? readDatabase(parsed.data) : {};
  if (parsed.success && url === undefined) faults.push("DATABASE_URL: is required");
  const all = addFileFaults(secretFiles, faults);
  if (url === undefined || sessionUrl === undefined || all.length > 0) throw new SettingsError(all.join("\n"));
  return { url, sessionUrl, serviceRole, warnings: secretFiles.warnings };
}
