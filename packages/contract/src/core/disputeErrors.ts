/** The errors of disputes. */
import { disputeReasons } from "./disputeReasons.ts";

export const disputeErrors = {
  "transactions.invalid_reason": {
    status: 400,
    text: "Invalid dispute reason",
    style: "error",
    extra: { validReasons: Object.keys(disputeReasons) },
  },
  "transactions.already_disputed": {
    status: 409,
    text: "Transaction already disputed",
    style: "error",
    extra: { message: "A dispute was submitted for this transaction before" },
  },
  "transactions.declined": { status: 404, text: "A declined payment moved no money and cannot be disputed" },
  "transactions.no_money": {
    status: 404,
    text: "The transaction took no money, or its money was returned: it cannot be disputed",
  },
  "transactions.not_disputed": { status: 404, text: "The transaction has no dispute" },
  "transactions.evidence_closed": { status: 409, text: "The dispute takes no more evidence" },
  "transactions.evidence_full": {
    status: 409,
    text: "Files of at most 50 MB may wait for disputes: dispute the transaction first",
  },
  "transactions.invalid_file": { status: 422, text: "The file must be a PDF, JPEG or PNG of at most 5 MB, in base64" },
} as const;
