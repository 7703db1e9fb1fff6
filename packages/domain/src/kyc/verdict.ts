/** What the identity provider's record of a person means here. Pure. */
import type { KycStatus } from "@cardkeep/contract/kyc";
import type { KycApplication } from "@cardkeep/db/queries/kyc";
import type { Applicant } from "@cardkeep/providers/kyc/port";

/** A status of a person, as the provider states it. */
export interface Verdict {
  readonly status: KycStatus;
  /** Provider time in milliseconds; an older verdict than the last changes nothing. */
  readonly eventAtMs: bigint;
}

/** The record's status on a day: an approval ends with the last valid document. Null where it says nothing. */
const statusOn = ({ status, documentsValidUntil }: Applicant, now: Date): KycStatus | null =>
  status === "approved" && documentsValidUntil !== null && documentsValidUntil < now.toISOString().slice(0, 10)
    ? "resubmissionRequested"
    : status;

/** Statuses of a record that end an approval, also one that an earlier callback names. */
const refusals: readonly (KycStatus | null)[] = ["rejected", "resubmissionRequested", "requiresAction"];

/** The status of an approval whose record was read after it: a refusal that came meanwhile counts. */
export function statusOfApproval(applicant: Applicant | null, now: Date): KycStatus {
  const status = applicant && statusOn(applicant, now);
  return status !== null && refusals.includes(status) ? status : "approved";
}

/**
 * The verdict of a record; null where it says nothing new. It has the time of the last callback, so that any later one
 * counts, and one that was applied since `known` was read makes it late.
 *
 * @param applicant null where the provider knows no such person
 */
export function readVerdict(
  applicant: Applicant | null,
  { before, known }: { before: KycStatus; known: KycApplication | null },
  now: Date,
): Verdict | null {
  if (!applicant && !known) return null;
  // The provider deleted an applicant that it knew.
  const status = applicant ? statusOn(applicant, now) : "notStarted";
  // In a record, an applicant without documents and one that was reset are the same.
  if (status === null || (status === "notStarted" && before === "documentsRequested")) return null;
  return { status, eventAtMs: known?.lastEventAtMs ?? 0n };
}
