/** What the identity provider's record of a person means here. Pure. */
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import type { KycApplication } from "@cardkeep/db/queries/verification/kyc";
import type { Applicant } from "@cardkeep/providers/kyc/port";
import type { KycPolicy } from "../../core/policy.ts";

/** A status of a person, as the provider states it. */
export interface Verdict {
  readonly status: KycStatus;
  /** Provider time in milliseconds; an older verdict than the last changes nothing. */
  readonly eventAtMs: bigint;
}

type AgePolicy = Pick<KycPolicy, "kycAgeMin">;

/**
 * The record's status on a day; null where it says nothing. An approval ends with the last valid document. A person below
 * the age, or without a birth date, is not approved: a person has to look at the record.
 */
function statusOn(
  { status, documentsValidUntil, birthDate }: Applicant,
  policy: AgePolicy,
  now: Date,
): KycStatus | null {
  if (status !== "approved") return status;
  const today = now.toISOString().slice(0, 10);
  if (documentsValidUntil !== null && documentsValidUntil < today) return "resubmissionRequested";
  return birthDate !== null && isOldEnough(birthDate, policy, today) ? "approved" : "requiresAction";
}

/** Dates as texts: a person born on 29 February is a year older on 1 March. */
const isOldEnough = (birthDate: string, { kycAgeMin }: AgePolicy, today: string): boolean =>
  birthDate <= `${String(Number(today.slice(0, 4)) - kycAgeMin).padStart(4, "0")}${today.slice(4)}`;

/** Statuses of a record that end an approval, also one that an earlier callback names. */
const refusals: readonly (KycStatus | null)[] = ["rejected", "resubmissionRequested", "requiresAction"];

/**
 * The status of an approval whose record was read after it: a refusal that came meanwhile counts. An approval of a person
 * whose record the provider deleted is none.
 */
export function statusOfApproval(applicant: Applicant | null, policy: AgePolicy, now: Date): KycStatus {
  if (applicant === null) return "notStarted";
  // The approval may be newer than the record's answer.
  const status = statusOn({ ...applicant, status: isRefused(applicant) ? applicant.status : "approved" }, policy, now);
  return status ?? "approved";
}

const isRefused = ({ status }: Applicant): boolean => refusals.includes(status);

/**
 * The verdict of a record; null where it says nothing new. It has the time of the last callback, so that any later one
 * counts, and one that was applied since `known` was read makes it late.
 *
 * @param applicant null where the provider knows no such person
 */
export function readVerdict(
  applicant: Applicant | null,
  { before, known, policy }: { before: KycStatus; known: KycApplication | null; policy: AgePolicy },
  now: Date,
): Verdict | null {
  if (!applicant && !known) return null;
  // The provider deleted an applicant that it knew.
  const status = applicant ? statusOn(applicant, policy, now) : "notStarted";
  // In a record, an applicant without documents and one that was reset are the same.
  if (status === null || (status === "notStarted" && before === "documentsRequested")) return null;
  return { status, eventAtMs: known?.lastEventAtMs ?? 0n };
}
