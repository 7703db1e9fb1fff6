/** The errors that operators alone receive, on their pages and in the CLI. */
export const operatorErrors = {
  "operators.forbidden": { status: 403, text: "None of the operator's roles allows this" },
  "operators.reason_required": { status: 422, text: "This change needs a reason" },
  "operators.approval_needed": { status: 409, text: "A second person has to approve this" },
  "approvals.not_found": { status: 404, text: "There is no such request for approval" },
  "approvals.ended": { status: 409, text: "This request for approval has ended" },
  "approvals.own": { status: 403, text: "Another person than the one who asked has to approve" },
  "actions.not_found": { status: 404, text: "There is no such action" },
  "relayers.not_found": { status: 404, text: "No relayer of the settings has this address" },
  "relayers.last_active": { status: 409, text: "No other relayer takes transactions: add one to the settings first" },
  "relayers.not_retired": { status: 409, text: "The relayer is not retired: drain it first" },
  "sourceOfFunds.invalid_questions": { status: 422, text: "These questions cannot be asked" },
  "jobs.not_found": { status: 404, text: "There is no such job" },
  "jobs.running": { status: 409, text: "The job is running" },
  "discrepancies.not_found": { status: 404, text: "There is no such open discrepancy" },
} as const;
