/**
 * Identity verification, as any provider gives it.
 *
 * - applicant: the person as the provider knows them. - callback: the provider's own notice, verified by us.
 */
import type { KycStatus } from "@cardkeep/contract/kyc";

export interface Applicant {
  applicantId: string;
  /** Our user id. */
  externalUserId: string;
  firstName: string | null;
  lastName: string | null;
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
}

export interface KycCallback {
  /** The same for every delivery of one notice. */
  id: string;
  type: string;
  applicantId: string;
  externalUserId: string;
  /** Provider time; orders the notices about one applicant. */
  createdAtMs: number;
  /** Whether it comes from the provider's test environment. */
  sandboxMode: boolean;
  /** What it makes the status, or null when it changes nothing. */
  status: KycStatus | null;
  body: unknown;
}

/** Every method throws ProviderUnavailable or ProviderRefused when the provider does not do as asked. */
export interface KycProvider {
  createWebLink(input: { userId: string; email: string; language?: string }): Promise<{ url: string }>;
  createSdkToken(input: {
    userId: string;
    email: string;
    ttlSeconds: number;
    language?: string;
  }): Promise<{ token: string; userId: string }>;
  /** A token with which another client of the provider copies the applicant, once. */
  createShareToken(input: {
    applicantId: string;
    forClientId: string;
    ttlSeconds: number;
  }): Promise<{ token: string; forClientId: string }>;
  /** The person that the provider knows under our user id, or null when it knows none. */
  findApplicant(userId: string): Promise<Applicant | null>;
  /** The notice in a raw body, or null when the digest is not the provider's or the body makes no sense. */
  parseCallback(input: {
    rawBody: string;
    headers: { digest: string | null; algorithm: string | null };
  }): KycCallback | null;
}
