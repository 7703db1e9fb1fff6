/** The applicants of the identity provider, in the form of its API. */
import {
  findApplicantByUser,
  getOrInsertApplicant,
  insertApplicant,
  type KycApplicant,
  updateApplicant,
} from "@cardkeep/db/sandbox/applicants";
import type { Tx } from "@cardkeep/db/client";
import { findUser, listSignInWallets } from "@cardkeep/db/queries/users/users";
import { toAlpha3 } from "@cardkeep/providers/kyc/countries";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type GeneratedPerson, generatePerson } from "../profiles/generatePerson.ts";
import { SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const field = z.string().min(1).max(200).nullish();
const country = z
  .string()
  .refine((code) => toAlpha3(code) !== null, "must be an ISO 3166-1 alpha-2 country code")
  .nullish();
/** Fields that a review may change about a person; null removes one. */
export const overrides = z.object({
  firstName: field,
  lastName: field,
  /** In Latin letters, as the provider reads them from the passport's machine-readable lines. */
  firstNameEn: field,
  lastNameEn: field,
  birthDate: z.iso.date().nullish(),
  country,
  nationality: country,
  address1: field,
  address2: field,
  city: field,
  postalCode: field,
  state: field,
  documentValidUntil: z.iso.date().nullish(),
});
type Overrides = z.output<typeof overrides>;

/**
 * The person in a user's documents. The wallet of the sign-up decides, so that the Person desk knows the name before there
 * is a user.
 */
async function generateApplicant(
  { db }: Pick<SandboxRuntime, "db">,
  userId: string,
  country?: string | null,
): Promise<GeneratedPerson> {
  const first = (await listSignInWallets(db, userId)).at(-1);
  return generatePerson(first?.address ?? userId, country ?? undefined);
}

const personOf = z.record(z.string(), z.string());

/** The applicant's data in the provider's form: alpha-3 countries, the address in a list. */
export function buildApplicantInfo(person: Record<string, string>) {
  const country = toAlpha3(person["country"]);
  const validUntil = person["documentValidUntil"];
  // Where the number comes last, the provider has it in a field of its own.
  const [, street = person["address1"], buildingNumber] = /^(.+) (\d+)$/.exec(person["address1"] ?? "") ?? [];
  return {
    firstName: person["firstName"],
    lastName: person["lastName"],
    firstNameEn: person["firstNameEn"],
    lastNameEn: person["lastNameEn"],
    dob: person["birthDate"],
    country,
    nationality: toAlpha3(person["nationality"]),
    addresses: [
      {
        street,
        buildingNumber,
        subStreet: person["address2"],
        town: person["city"],
        state: person["state"],
        postCode: person["postalCode"],
        country,
      },
    ],
    idDocs: [
      ...(validUntil === undefined ? [] : [{ idDocType: "PASSPORT", country, validUntil }]),
      // A proof of address is in the same list, and never has an end.
      { idDocType: "UTILITY_BILL", country },
    ],
  };
}

/** An applicant's data as plain fields. */
export const readPerson = (applicant: KycApplicant): Record<string, string> => personOf.parse(applicant.info);

const vendorIdBytes = 12;

/** An id in the provider's form: 24 characters. */
export const generateVendorId = (): string => randomBytes(vendorIdBytes).toString("hex");

/**
 * The user's applicant; creates a complete one when there is none.
 * @throws SandboxError 404 for an unknown user
 */
export async function getApplicant(
  runtime: SandboxRuntime,
  userId: string,
  change: Change = {},
): Promise<KycApplicant> {
  const row = await buildRow(runtime, userId, change);
  return runtime.store.transaction(async (tx) => keepChange(tx, await getOrInsertApplicant(tx, row), change));
}

/**
 * A new applicant of the user; null where there is one, of two at the same time for one of them.
 * @throws SandboxError 404 for an unknown user
 */
export async function createApplicant(
  runtime: SandboxRuntime,
  userId: string,
  change: Change,
): Promise<KycApplicant | null> {
  const row = await buildRow(runtime, userId, change);
  return runtime.store.transaction(async (tx) => {
    const made = await insertApplicant(tx, row);
    return made && keepChange(tx, made, change);
  });
}

type Change = Overrides & { lang?: string | null | undefined };

async function buildRow(runtime: SandboxRuntime, userId: string, { country }: Change) {
  const isKnown = (await findApplicantByUser(runtime.store, userId)) !== null;
  if (!isKnown && !(await findUser(runtime.db, userId))) throw new SandboxError(404, "No such user");
  return {
    id: generateVendorId(),
    externalUserId: userId,
    levelName: runtime.settings.kyc.levelName,
    reviewStatus: "init",
    info: { ...(await generateApplicant(runtime, userId, country)) },
    createdAt: await runtime.clock.now(runtime.db),
  };
}

async function keepChange(tx: Tx, applicant: KycApplicant, change: Change): Promise<KycApplicant> {
  const changed = Object.entries({ ...readPerson(applicant), ...change });
  const info = personOf.parse(Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined)));
  await updateApplicant(tx, applicant.id, { info });
  return { ...applicant, info };
}
