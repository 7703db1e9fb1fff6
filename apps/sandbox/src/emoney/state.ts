/** Records of the e-money institution, by kind. */
import {
  type EmoneyRecord,
  findEmoneyRecord,
  listEmoneyProfilesOf,
  listEmoneyRecords,
} from "@cardkeep/db/sandbox/emoneyRecords";
import { composeIBAN, isValidIBAN } from "ibantools";
import { randomInt } from "node:crypto";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";

/**
 * `holder`: the person's e-mail address, null until their file arrives. `own`: created by the person, not by an app.
 */
const profile = z.object({
  state: z.string(),
  holder: z.string().nullable(),
  own: z.boolean(),
  name: z.string().default(""),
  kind: z.enum(["personal", "corporate"]).default("personal"),
  /** ISO 3166-1 alpha-2: the country of the IBAN. */
  country: z.string().default("DE"),
});
export type Profile = z.output<typeof profile> & { id: string };

export const iban = z.object({
  iban: z.string(),
  bic: z.string(),
  name: z.string(),
  profile: z.string(),
  address: z.string(),
  chain: z.string(),
});
export type SandboxIban = z.output<typeof iban>;

const readProfile = ({ id, data }: EmoneyRecord): Profile => ({ id, ...profile.parse(data) });

export async function findProfile(runtime: SandboxRuntime, id: string): Promise<Profile | null> {
  const record = await findEmoneyRecord(runtime.store, "profile", id);
  return record && readProfile(record);
}

/** An app may use the profiles that it created; a person may use their own. */
export async function mayUse(
  runtime: SandboxRuntime,
  caller: { readonly profile: string | null },
  profileId: string,
): Promise<boolean> {
  if (caller.profile !== null) return caller.profile === profileId;
  return (await findProfile(runtime, profileId))?.own === false;
}

export async function listProfiles(runtime: SandboxRuntime): Promise<Profile[]> {
  return (await listEmoneyRecords(runtime.store, "profile")).map(readProfile);
}

/** The approved profile of a person. */
export async function findProfileOf(runtime: SandboxRuntime, email: string): Promise<Profile | null> {
  const records = await listEmoneyProfilesOf(runtime.store, email.toLowerCase());
  return records.map(readProfile).find(({ state }) => state === "approved") ?? null;
}

export async function findIban(runtime: SandboxRuntime, text: string): Promise<SandboxIban | null> {
  const record = await findEmoneyRecord(runtime.store, "iban", text);
  return record ? iban.parse(record.data) : null;
}

export async function listIbans(runtime: SandboxRuntime, ofProfile: string): Promise<SandboxIban[]> {
  return (await listEmoneyRecords(runtime.store, "iban", ofProfile)).map(({ data }) => iban.parse(data));
}

interface Bank {
  bic: string;
  /** The bank's part of a BBAN, and the number of digits that follow. */
  prefix: string;
  digits: number;
}

/** One invented bank for each of several SEPA countries. Source: SWIFT IBAN registry. */
const banks: Readonly<Record<string, Bank>> = {
  AT: { bic: "MARKATWWXXX", prefix: "", digits: 16 },
  BE: { bic: "MARKBEB1XXX", prefix: "", digits: 12 },
  DE: { bic: "MARKDEF1100", prefix: "10000000", digits: 10 },
  EE: { bic: "MARKEE2XXXX", prefix: "", digits: 16 },
  ES: { bic: "MARKESMMXXX", prefix: "", digits: 20 },
  FI: { bic: "MARKFIHHXXX", prefix: "", digits: 14 },
  FR: { bic: "MARKFRPPXXX", prefix: "", digits: 23 },
  IE: { bic: "MARKIE2DXXX", prefix: "MARK", digits: 14 },
  LT: { bic: "MARKLT2XXXX", prefix: "", digits: 16 },
  NL: { bic: "MARKNL2AXXX", prefix: "MARK", digits: 10 },
  PT: { bic: "MARKPTPLXXX", prefix: "", digits: 21 },
};

const triesMax = 10_000;

/** An account at the bank of a country; a German one where no bank is known. National check digits are right. */
export function generateIban(country: string): { iban: string; bic: string } {
  const known = Object.hasOwn(banks, country) ? country : "DE";
  const { bic, prefix, digits } = banks[known] ?? { bic: "", prefix: "", digits: 0 };
  for (let triesLeft = triesMax; triesLeft > 0; triesLeft--) {
    const random = Array.from({ length: digits }, () => randomInt(10)).join("");
    const text = composeIBAN({ countryCode: known, bban: prefix + random });
    if (text !== null && isValidIBAN(text)) return { iban: text, bic };
  }
  throw new Error(`No IBAN of ${known} was found`);
}
