/** Disputes at the issuer, in our own terms. */
import type { EvidenceField, EvidenceFile } from "@cardkeep/contract/spending/disputeEvidence";

/** The issuer's reasons. */
export const issuerDisputeReasons = [
  "canceled",
  "duplicate",
  "fraudulent",
  "merchandise_not_as_described",
  "no_valid_authorization",
  "not_received",
  "other",
  "service_not_as_described",
] as const;
export type IssuerDisputeReason = (typeof issuerDisputeReasons)[number];

/** The issuer's present data about a dispute. */
export interface DisputeReport {
  issuerDisputeId: string;
  /** Our own id of it; null for one that was made elsewhere. */
  reference: string | null;
  /** The disputed capture. */
  transactionId: string;
  reason: IssuerDisputeReason;
  /** Null for a status that is not known here. */
  status: "unsubmitted" | "submitted" | "won" | "lost" | "expired" | null;
  amountCents: bigint;
  currency: string;
  /** What the issuer returned to the operator for it and did not take back; never below zero. */
  reinstatedCents: bigint;
  /** Whether the issuer took back money that it had returned. */
  isRescinded: boolean;
  lossReason: string | null;
}

/** A text of evidence. Instants are ISO 8601. */
export type EvidenceText = Partial<
  Record<Exclude<EvidenceField, "cancellationPolicyProvided" | "originalThreadId">, string>
> & {
  cancellationPolicyProvided?: boolean;
  /** The issuer's id of the capture that was paid already. */
  originalTransactionId?: string;
};

/** The issuer's side of disputes. Every method throws ProviderUnavailable or ProviderRefused if it fails or refuses. */
export interface DisputeIssuer {
  /** The dispute of a capture; null while there is none. */
  findTransactionDispute(transactionId: string): Promise<DisputeReport | null>;
  /** The thread of a transaction; null for an unknown one. */
  findTransactionThread(transactionId: string): Promise<string | null>;
  /** Null for an unknown one. */
  findDispute(issuerDisputeId: string): Promise<DisputeReport | null>;
  /** Creates a dispute of a capture, once per reference and day. */
  createDispute(input: {
    transactionId: string;
    reason: IssuerDisputeReason;
    explanation: string;
    /** Null for the whole capture. */
    amountCents: bigint | null;
    /** Our own id. */
    reference: string;
  }): Promise<DisputeReport>;
  /** Hands a file on, and returns the issuer's id of it. */
  uploadEvidence(input: { bytes: Uint8Array; mediaType: string; name: string }): Promise<string>;
  /** Adds evidence to a dispute that is not submitted. */
  updateEvidence(
    issuerDisputeId: string,
    reason: IssuerDisputeReason,
    evidence: { text: EvidenceText; files: Partial<Record<EvidenceFile, string>> },
  ): Promise<void>;
  /** Submits a dispute to the card network; a second time changes nothing. */
  submitDispute(issuerDisputeId: string): Promise<DisputeReport>;
  /** The ids of disputes that were made since an instant. */
  listDisputeIds(since: Date): Promise<string[]>;
}
