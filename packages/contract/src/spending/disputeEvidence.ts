/** Evidence of disputes: which fields and files there are, and which of them each reason needs. */
import type { DisputeReason } from "../core/disputeReasons.ts";

/** Fields of a text, in the order in which the reference names them. */
export const evidenceFields = [
  "explanation",
  "productDescription",
  "productType",
  "canceledAt",
  "cancellationPolicyProvided",
  "cancellationReason",
  "expectedAt",
  "receivedAt",
  "returnedAt",
  "returnStatus",
  "returnDescription",
  "originalThreadId",
] as const;
export type EvidenceField = (typeof evidenceFields)[number];

/** Files, by their meaning. */
export const evidenceFiles = ["additionalDocumentation", "cardStatement", "cashReceipt", "checkImage"] as const;
export type EvidenceFile = (typeof evidenceFiles)[number];

export const evidenceSlots = ["text", ...evidenceFiles] as const;
export type EvidenceSlot = (typeof evidenceSlots)[number];

type Piece = EvidenceField | EvidenceFile;

/** What the issuer requires beside the explanation, by reason: one piece of each list. */
const needs: Readonly<Record<DisputeReason, readonly (readonly Piece[])[]>> = {
  purchase_cancelled_but_no_refund_received: [
    ["canceledAt"],
    ["cancellationPolicyProvided"],
    ["expectedAt"],
    ["productType"],
  ],
  problem_with_the_product_chargeback_: [["receivedAt"], ["returnStatus"], ["returnDescription"]],
  problem_with_service_subscription_chargeback: [["receivedAt"], ["canceledAt"], ["cancellationReason"]],
  wrong_installment_number: [],
  wrong_value: [],
  charged_more_than_once: [["originalThreadId", "cardStatement", "cashReceipt", "checkImage"]],
  unrecognized_transaction_report_fraudulent: [],
};

/** Evidence as far as its names go. */
export interface KnownEvidence {
  readonly slot: EvidenceSlot;
  readonly fields: readonly EvidenceField[];
}

/** What it requires where nothing arrived. */
const needsOfNotReceived: readonly (readonly Piece[])[] = [["expectedAt"], ["productDescription"], ["productType"]];

const namesOf = (known: readonly KnownEvidence[]): Set<string> =>
  new Set(known.flatMap(({ slot, fields }) => [slot, ...fields]));

const delivered: readonly DisputeReason[] = [
  "problem_with_the_product_chargeback_",
  "problem_with_service_subscription_chargeback",
];

/** Whether the evidence says that nothing arrived: what was bought was expected, and no day is given on which it came. */
export function isNotReceived(reason: DisputeReason, known: readonly KnownEvidence[]): boolean {
  const given = namesOf(known);
  return delivered.includes(reason) && given.has("expectedAt") && !given.has("receivedAt");
}

/**
 * What is still missing before a dispute is submitted; of several pieces that do, the first one. The explanation is always
 * asked for: it is what the person says happened.
 */
export function listMissingEvidence(reason: DisputeReason, known: readonly KnownEvidence[]): Piece[] {
  const given = namesOf(known);
  const rest = isNotReceived(reason, known) ? needsOfNotReceived : needs[reason];
  return [["explanation"] as const, ...rest]
    .filter((pieces) => !pieces.some((piece) => given.has(piece)))
    .flatMap(([first]) => first ?? []);
}
