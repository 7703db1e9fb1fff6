/** What the e-money institution keeps, kind by kind. */
import { findEmoneyRecord, listEmoneyRecords } from "@cardkeep/db/queries/sandbox";
import type { Runtime } from "@cardkeep/runtime/compose";
import { randomUUID } from "node:crypto";
import { z } from "zod";

/** `holder`: the e-mail address of the person, null before the file is there; `own`: made by the person, not through an app. */
const profile = z.object({ state: z.string(), holder: z.string().nullable(), own: z.boolean() });
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

export async function findProfile(runtime: Runtime, id: string): Promise<Profile | null> {
  const record = await findEmoneyRecord(runtime.db, "profile", id);
  return record ? { id, ...profile.parse(record.data) } : null;
}

/** The approved profile of a person. */
export async function findProfileOf(runtime: Runtime, email: string): Promise<Profile | null> {
  const records = await listEmoneyRecords(runtime.db, "profile");
  const profiles = records.map(({ id, data }) => ({ id, ...profile.parse(data) }));
  return profiles.find(({ holder, state }) => state === "approved" && holder === email.toLowerCase()) ?? null;
}

export async function findIban(runtime: Runtime, text: string): Promise<SandboxIban | null> {
  const record = await findEmoneyRecord(runtime.db, "iban", text);
  return record ? iban.parse(record.data) : null;
}

export async function listIbans(runtime: Runtime, ofProfile: string): Promise<SandboxIban[]> {
  return (await listEmoneyRecords(runtime.db, "iban", ofProfile)).map(({ data }) => iban.parse(data));
}

const bankCode = "10000000";
const accountDigits = 10;
export const bic = "MARKDEF1100";

/** A German IBAN of a bank that has none, with its check digits (ISO 7064, MOD 97-10). */
export function generateIban(): string {
  const random = BigInt(`0x${randomUUID().replaceAll("-", "")}`) % 10n ** BigInt(accountDigits);
  const account = bankCode + String(random).padStart(accountDigits, "0");
  // D is 13 and E is 14.
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, "0")}${account}`;
}
