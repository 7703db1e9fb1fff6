/** The identity provider's desk: a verdict, delivered as a signed callback. */
import { kycStatuses, type KycStatus } from "@cardkeep/contract/verification/kyc";
import { updateApplicant } from "@cardkeep/db/sandbox/applicants";
import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { deliver, type Retries } from "../deliver.ts";
import { generateVendorId, getApplicant, overrides } from "./kycApplicant.ts";
import { defineSandboxRoute } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

interface Verdict {
  type: string;
  reviewStatus: string;
  reviewResult?: { reviewAnswer: "GREEN" | "RED"; reviewRejectType?: "FINAL" | "RETRY"; rejectLabels?: string[] };
}

/** The provider's answer for each of our statuses. */
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

export const review = defineSandboxRoute({
  method: "POST",
  path: "/kyc/{userId}/review",
  summary: "The identity provider's verdict, delivered as its signed callback",
  input: z.object({
    userId: z.string(),
    outcome: z.enum(kycStatuses),
    applicant: overrides.optional(),
    level: z.string().min(1).max(100).optional().meta({ description: "The verdict is of this level" }),
    isSilent: z.boolean().optional().meta({ description: "The provider's record changes, and the callback is lost" }),
  }),
  example: { outcome: "approved", applicant: { country: "DE" } },
  run: async (runtime, { userId, outcome, applicant: change, level, isSilent = false }) => {
    const applicant = await getApplicant(runtime, userId, change);
    const { type, reviewStatus, reviewResult } = verdicts[outcome];
    const levelName = level ?? runtime.settings.kyc.levelName;
    const verdict = { levelName, reviewStatus, reviewResult: reviewResult ?? null };
    await runtime.store.transaction((tx) => updateApplicant(tx, applicant.id, verdict));
    const answer = { userId, outcome, applicantId: applicant.id };
    if (isSilent) return answer;
    await sendCallback(runtime, {
      type,
      applicantId: applicant.id,
      inspectionId: generateVendorId(),
      correlationId: randomUUID(),
      externalUserId: userId,
      levelName,
      applicantType: "individual",
      reviewStatus,
      ...(reviewResult && { reviewResult }),
      createdAtMs: (await runtime.clock.now(runtime.db)).toISOString().slice(0, 23).replace("T", " "),
      sandboxMode: true,
      clientId: "cardkeep",
    });
    return answer;
  },
});

/**
 * Delivers a callback with the provider's signature.
 * @throws SandboxError 422 when the service does not accept it
 */
async function sendCallback(runtime: SandboxRuntime, payload: object): Promise<void> {
  const body = JSON.stringify(payload);
  const digest = createHmac("sha256", runtime.settings.kyc.callbackSecrets[0] ?? "")
    .update(body)
    .digest("hex");
  const headers = { "X-Payload-Digest": digest, "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" };
  await deliver(runtime, { path: "/callbacks/sumsub", headers, body }, retries);
}

/** The real one waits 5 minutes, then 1, 5 and 18 hours. Source: docs.sumsub.com/docs/webhooks. */
const retries: Retries = { pauseMsMin: 500, pauseMsMax: 4_000, count: 4 };
