/**
 * Identity verification by any provider.
 *
 * - applicant: the person at the provider.
 * - callback: a message of the provider, verified by us.
 */
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import type { CallbackError } from "../callbackError.ts";

export interface Applicant {
  applicantId: string;
  /** Our user id. */
  externalUserId: string;
  firstName: string | null;
  lastName: string | null;
  /** The same in Latin letters, as the provider writes them. */
  latinFirstName: string | null;
  latinLastName: string | null;
  /** `YYYY-MM-DD`. */
  birthDate: string | null;
  address1: string | null;
  address2: string | null;
  city: string | null;
  postalCode: string | null;
  state: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  nationality: string | null;
  /** `YYYY-MM-DD`: the last day on which one of the identity documents is valid; null where that is not known. */
  documentsValidUntil: string | null;
  /** The level of the review, in the provider's word. */
  levelName: string | null;
  /** What the review shows now; null where it says nothing about our status. */
  status: KycStatus | null;
}

export interface KycCallback {
  /** The same for every delivery of one callback. */
  id: string;
  type: string;
  applicantId: string;
  externalUserId: string;
  /** Provider time; it orders the callbacks about one applicant. */
  createdAtMs: number;
  /** Whether it comes from the provider's test environment. */
  sandboxMode: boolean;
  /** The new status; null where the applicant's record has to be asked. */
  status: KycStatus | null;
  body: unknown;
}

/** Every method throws ProviderUnavailable or ProviderRefused if the provider fails or refuses. */
export interface KycProvider {
  createWebLink(input: { userId: string; email: string | null; language?: string }): Promise<{ url: string }>;
  createSdkToken(input: {
    userId: string;
    email: string | null;
    ttlSeconds: number;
    language?: string;
  }): Promise<{ token: string; userId: string }>;
  /** A token with which another client of the provider copies the applicant, once. */
  createShareToken(input: {
    applicantId: string;
    forClientId: string;
    ttlSeconds: number;
  }): Promise<{ token: string; forClientId: string }>;
  /** The applicant with our user id, or null if there is none. */
  findApplicant(userId: string): Promise<Applicant | null>;
  /** The callback in a raw body whose digest is the provider's. */
  parseCallback(input: {
    rawBody: string;
    headers: { digest: string | null; algorithm: string | null };
  }): KycCallback | CallbackError;
}
