/**
 * What a review at Sumsub says about a person. Only a review of a natural person at the configured level sets a status: a
 * GREEN of a level that checks a phone number alone, or of a company, is no verification.
 *
 * Source: docs.sumsub.com, "User verification webhooks", "Deactivate applicant profile".
 */
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { z } from "zod";

const text = z.string().nullish();
export const reviewResult = z.object({ reviewAnswer: text, reviewRejectType: text }).nullish();
type ReviewResult = z.output<typeof reviewResult>;

/** A deactivated applicant is `deleted`, and keeps its review. */
export const reviewRecord = z.object({
  type: text,
  deleted: z.boolean().nullish(),
  review: z.object({ levelName: text, reviewStatus: text, reviewResult }).nullish(),
});

/** Callbacks that name a step of a review. Any other type is a reason to ask for the record. */
const statusByType: ReadonlyMap<string, KycStatus> = new Map([
  ["applicantCreated", "documentsRequested"],
  ["applicantReset", "notStarted"],
  ["applicantPending", "pending"],
  ["applicantPrechecked", "processing"],
  ["applicantAwaitingService", "processing"],
  ["applicantAwaitingUser", "documentsRequested"],
  ["applicantOnHold", "requiresAction"],
]);

const statusByReview: ReadonlyMap<string, KycStatus> = new Map([
  ["init", "notStarted"],
  ["pending", "pending"],
  ["prechecked", "processing"],
  ["queued", "processing"],
  ["awaitingService", "processing"],
  ["awaitingUser", "documentsRequested"],
  ["onHold", "requiresAction"],
]);

/** The level and the type of applicant that a review is about. */
interface Subject {
  levelName?: string | null | undefined;
  type?: string | null | undefined;
}

const isVerification = ({ levelName, type }: Subject, configured: string): boolean =>
  levelName === configured && type === "individual";

function statusOfResult(result: ReviewResult): KycStatus | null {
  if (result?.reviewAnswer === "GREEN") return "approved";
  if (result?.reviewAnswer !== "RED") return null;
  // Only a review that the provider calls final ends an application.
  return result.reviewRejectType === "FINAL" ? "rejected" : "resubmissionRequested";
}

/** The status that a callback sets; null where the provider's record has to be asked. */
export function statusOfCallback(
  { callbackType, reviewResult: result, ...subject }: Subject & { callbackType: string; reviewResult: ReviewResult },
  configured: string,
): KycStatus | null {
  if (!isVerification(subject, configured)) return null;
  return callbackType === "applicantReviewed" ? statusOfResult(result) : (statusByType.get(callbackType) ?? null);
}

/**
 * The status that a record shows; null where it says nothing about ours. A final rejection at another level, and a
 * deactivated applicant, need a person who looks at it.
 */
export function statusOfRecord(
  { type, deleted, review }: z.output<typeof reviewRecord>,
  configured: string,
): KycStatus | null {
  if (deleted === true) return "requiresAction";
  const isCompleted = review?.reviewStatus === "completed";
  const status = isCompleted
    ? statusOfResult(review?.reviewResult)
    : (statusByReview.get(review?.reviewStatus ?? "") ?? null);
  if (isVerification({ levelName: review?.levelName, type }, configured)) return status;
  return status === "rejected" ? "requiresAction" : null;
}
