import type { OperatorApproval } from "@cardkeep/db/queries/operators/approvals";
import { listStates } from "@cardkeep/contract/core/machine";
import { approvalMachine } from "@cardkeep/contract/operators/approvals";
import { approveRequest, listApprovals, rejectRequest } from "@cardkeep/domain/operations/executors/decideApproval";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, instant, status, text } from "../value.ts";

const answer = (request: OperatorApproval): Answered =>
  new Answered(request.id, request, [
    ["Request", code(request.id)],
    ["Status", status(request.status)],
    ["Verb", code(request.verb)],
    [
      "Input",
      Object.entries(request.input).flatMap(([name, value]) =>
        name === "sealed" ? [] : [text(`${name} ${String(value)}`)],
      ),
    ],
    ["Asked by", text(request.askedByName)],
    ["Reason", text(request.reason)],
    ["Decided by", text(request.decidedByName)],
  ]);

export const approvals = defineNoun({
  name: "approvals",
  title: "Approvals",
  group: "Access",
  brief: "Changes that wait for a second person",
  argument: { name: "id", brief: "Id of the request" },
  keyOf: (row) => row.id,
  list: {
    verb: "approvals.list",
    brief: "Lists requests, newest first",
    example: "approvals list --status WAITING",
    lead: "Changes that wait for a second person.",
    none: "There are no such requests.",
    hint: "Changes that OPERATOR_TWO_PERSONS names wait here.",
    filters: {
      status: {
        label: "Status",
        brief: "Only requests with this status",
        placeholder: "STATUS",
        values: listStates(approvalMachine),
        isTab: true,
      },
    },
    columns: [
      { name: "Id", of: (row) => code(row.id) },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Verb", of: (row) => code(row.verb) },
      { name: "Subject", of: (row) => text(`${row.subjectKind} ${row.subjectId}`), terminal: "optional" },
      { name: "Asked by", of: (row) => text(row.askedByName), terminal: "elastic" },
      { name: "Ends", of: (row) => instant(row.expiresAt) },
    ],
    read: listApprovals,
  },
  acts: {
    approve: {
      verb: "approvals.approve",
      brief: "Approves a request of another operator, and runs what it asks for",
      example: "approvals approve 01J8Z2",
      offer: (row) => (row.status === "WAITING" ? { label: "Approve", consequence: "It runs at once." } : null),
      run: async (ctx, key) => answer(await approveRequest(ctx, { id: key })),
    },
    reject: {
      verb: "approvals.reject",
      brief: "Rejects a request, or takes back your own",
      example: "approvals reject 01J8Z2 --reason withdrawn",
      offer: (row) => (row.status === "WAITING" ? { label: "Reject", consequence: "It never runs." } : null),
      run: async (ctx, key) => answer(await rejectRequest(ctx, { id: key })),
    },
  },
});
