/** The identity provider's desk: a verdict, delivered as the provider delivers it. */
import { kycStatuses, type KycStatus } from "@cardkeep/contract/kyc";
import { type KycApplicant, getOrInsertApplicant, updateApplicant } from "@cardkeep/db/queries/sandbox";
import { findUser } from "@cardkeep/db/queries/users";
import { toAlpha3 } from "@cardkeep/providers/kyc/countries";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "./route.ts";

interface Verdict {
  type: string;
  reviewStatus: string;
  reviewResult?: { reviewAnswer: "GREEN" | "RED"; reviewRejectType?: "FINAL" | "RETRY"; rejectLabels?: string[] };
}

/** The provider's own words for each of our statuses. */
const verdicts: Readonly<Record<KycStatus, Verdict>> = {
  notStarted: { type: "applicantReset", reviewStatus: "init" },
  documentsRequested: { type: "applicantCreated", reviewStatus: "init" },
  pending: { type: "applicantPending", reviewStatus: "pending" },
  processing: { type: "applicantPrechecked", reviewStatus: "queued" },
  requiresAction: { type: "applicantOnHold", reviewStatus: "onHold" },
  approved: { type: "applicantReviewed", reviewStatus: "completed", reviewResult: { reviewAnswer: "GREEN" } },
  resubmissionRequested: {
    type: "applicantReviewed",
    reviewStatus: "completed",
    reviewResult: { reviewAnswer: "RED", reviewRejectType: "RETRY", rejectLabels: ["BAD_PROOF_OF_IDENTITY"] },
  },
  rejected: {
    type: "applicantReviewed",
    reviewStatus: "completed",
    reviewResult: { reviewAnswer: "RED", reviewRejectType: "FINAL", rejectLabels: ["FORGERY"] },
  },
};

const field = z.string().min(1).max(200).optional();
const overrides = z.object({
  firstName: field,
  lastName: field,
  birthDate: z.iso.date().optional(),
  country: z.string().length(2).optional(),
  nationality: z.string().length(2).optional(),
  address1: field,
  address2: field,
  city: field,
  postalCode: field,
  state: field,
});
type Overrides = z.output<typeof overrides>;

/** A person who is complete: every field that any later step could ask for. */
const defaultPerson = {
  firstName: "Ada",
  lastName: "Lovelace",
  birthDate: "1990-12-10",
  country: "DE",
  nationality: "DE",
  address1: "Unter den Linden 1",
  address2: "2nd floor",
  city: "Berlin",
  postalCode: "10117",
  state: "Berlin",
} as const;

const personOf = z.record(z.string(), z.string());

/** The applicant's data as the provider shows it: alpha-3 countries, the address in a list. */
export function buildApplicantInfo(person: Record<string, string>) {
  const country = toAlpha3(person["country"]);
  return {
    firstName: person["firstName"],
    lastName: person["lastName"],
    dob: person["birthDate"],
    country,
    nationality: toAlpha3(person["nationality"]),
    addresses: [
      {
        street: person["address1"],
        subStreet: person["address2"],
        town: person["city"],
        state: person["state"],
        postCode: person["postalCode"],
        country,
      },
    ],
  };
}

/** What is known of an applicant, as plain fields. */
export const readPerson = (applicant: KycApplicant): Record<string, string> => personOf.parse(applicant.info);

const applicantIdLength = 24;

/** The user's applicant, made complete when there is none. @throws SandboxError 404 for an unknown user */
export async function getApplicant(runtime: Runtime, userId: string, change: Overrides = {}): Promise<KycApplicant> {
  if (!(await findUser(runtime.db, userId))) throw new SandboxError(404, "No such user");
  return runtime.db.transaction(async (tx) => {
    const applicant = await getOrInsertApplicant(tx, {
      id: randomBytes(applicantIdLength / 2).toString("hex"),
      externalUserId: userId,
      reviewStatus: "init",
      info: defaultPerson,
      createdAt: await runtime.clock.now(tx),
    });
    const info = { ...readPerson(applicant), ...personOf.parse(JSON.parse(JSON.stringify(change))) };
    await updateApplicant(tx, applicant.id, { info });
    return { ...applicant, info };
  });
}

export const review = defineSandboxRoute({
  method: "POST",
  path: "/kyc/{userId}/review",
  summary: "The identity provider's verdict, delivered as its signed callback",
  input: z.object({ userId: z.string(), outcome: z.enum(kycStatuses), applicant: overrides.optional() }),
  example: { userId: "", outcome: "approved", applicant: { country: "DE" } },
  run: async (runtime, { userId, outcome, applicant: change }) => {
    const applicant = await getApplicant(runtime, userId, change);
    const { type, reviewStatus, reviewResult } = verdicts[outcome];
    await runtime.db.transaction((tx) => updateApplicant(tx, applicant.id, { reviewStatus, reviewResult: reviewResult ?? null }));
    await deliver(runtime, {
      type,
      applicantId: applicant.id,
      inspectionId: randomBytes(applicantIdLength / 2).toString("hex"),
      correlationId: randomUUID(),
      externalUserId: userId,
      levelName: runtime.settings.kyc.levelName,
      applicantType: "individual",
      reviewStatus,
      ...(reviewResult && { reviewResult }),
      createdAtMs: String(Date.now()),
      sandboxMode: true,
      clientId: "cardkeep",
    });
    return { userId, outcome, applicantId: applicant.id };
  },
});

const deliveriesMax = 8;
const deliveryEveryMs = 250;

/** Delivers a callback until the service takes it. @throws SandboxError 422 when it does not */
async function deliver(runtime: Runtime, body: object): Promise<void> {
  const raw = JSON.stringify(body);
  const digest = createHmac("sha256", runtime.settings.kyc.callbackSecret).update(raw).digest("hex");
  const headers = { "Content-Type": "application/json", "X-Payload-Digest": digest, "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" };
  let said = "nothing";
  for (let attempt = 0; attempt < deliveriesMax; attempt++) {
    if (attempt > 0) await Bun.sleep(deliveryEveryMs);
    const response = await fetch(`http://127.0.0.1:${runtime.settings.port}/callbacks/sumsub`, { method: "POST", headers, body: raw }).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    said = response ? String(response.status) : "nothing";
    if (response && response.status < 500) break;
  }
  throw new SandboxError(422, `The service answered the callback with ${said}`);
}
