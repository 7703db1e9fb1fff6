/** The identity provider's desk: a verdict, delivered as the provider delivers it. */
import { kycStatuses, type KycStatus } from "@cardkeep/contract/kyc";
import { updateApplicant } from "@cardkeep/db/queries/sandbox";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { generateVendorId, getApplicant, overrides } from "./kycApplicant.ts";
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

export const review = defineSandboxRoute({
  method: "POST",
  path: "/kyc/{userId}/review",
  summary: "The identity provider's verdict, delivered as its signed callback",
  input: z.object({ userId: z.string(), outcome: z.enum(kycStatuses), applicant: overrides.optional() }),
  example: { outcome: "approved", applicant: { country: "DE" } },
  run: async (runtime, { userId, outcome, applicant: change }) => {
    const applicant = await getApplicant(runtime, userId, change);
    const { type, reviewStatus, reviewResult } = verdicts[outcome];
    const verdict = { reviewStatus, reviewResult: reviewResult ?? null };
    await runtime.db.transaction((tx) => updateApplicant(tx, applicant.id, verdict));
    await deliver(runtime, {
      type,
      applicantId: applicant.id,
      inspectionId: generateVendorId(),
      correlationId: randomUUID(),
      externalUserId: userId,
      levelName: runtime.settings.kyc.levelName,
      applicantType: "individual",
      reviewStatus,
      ...(reviewResult && { reviewResult }),
      createdAtMs: new Date().toISOString().slice(0, 23).replace("T", " "),
      sandboxMode: true,
      clientId: "cardkeep",
    });
    return { userId, outcome, applicantId: applicant.id };
  },
});

/** How long a service that does not answer is asked again; a single answer may take as long as the provider waits. */
const deliverMsMax = 2_000;
const deliverEveryMs = 250;
const answerMsMax = 5_000;

/** Delivers a callback until the service takes it. @throws SandboxError 422 when it does not */
async function deliver(runtime: Runtime, body: object): Promise<void> {
  const raw = JSON.stringify(body);
  const headers = {
    "Content-Type": "application/json",
    "X-Payload-Digest": createHmac("sha256", runtime.settings.kyc.callbackSecret).update(raw).digest("hex"),
    "X-Payload-Digest-Alg": "HMAC_SHA256_HEX",
  };
  // The server of this machine, which need not be reachable under its public address.
  const url = `http://127.0.0.1:${runtime.settings.port}/callbacks/sumsub`;
  const deadline = Date.now() + deliverMsMax;
  for (;;) {
    const status = await post(url, headers, raw);
    if (status !== null && status >= 200 && status < 300) return;
    const isFinal = status !== null && status < 500;
    if (isFinal || Date.now() > deadline) {
      throw new SandboxError(422, `The service answered the callback with ${status ?? "nothing"}`);
    }
    await Bun.sleep(deliverEveryMs);
  }
}

/** The status that a request was answered with, or null when it was not. */
async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(answerMsMax) });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}
