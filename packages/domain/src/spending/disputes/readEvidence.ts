import { listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import type { DisputeReason } from "@cardkeep/contract/core/disputeReasons";
import type { Executor } from "@cardkeep/db/client";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";

/** The evidence that a payment has, without its content, and what a reason still needs. */
export async function readEvidence(on: Executor, paymentId: string, reason: DisputeReason | null) {
  const rows = await listEvidenceInfo(on, paymentId);
  return {
    evidence: rows.map(({ slot, fields, mediaType, size, createdAt, handedAt }) => {
      return { slot, fields, mediaType, size, createdAt, handedAt };
    }),
    missing: reason === null ? [] : listMissingEvidence(reason, rows),
  };
}
