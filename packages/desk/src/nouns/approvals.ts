import type { OperatorApproval } from "@cardkeep/db/queries/operators/approvals";
import { listStates } from "@cardkeep/contract/core/machine";
import { approvalMachine } from "@cardkeep/contract/operators/approvals";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import { findVerbRow, isOperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import {
  approveRequest,
  getApproval,
  listApprovals,
  openApproval,
  rejectRequest,
} from "@cardkeep/domain/operations/executors/decideApproval";
import type { AskedEndpoint } from "@cardkeep/domain/partners/partners/askedChange";
import { readDoubleWarning } from "@cardkeep/domain/spending/payments/doubles";
import { findAskedWallet } from "@cardkeep/domain/users/signInWallets/changeWalletsFor";
import { Answered, defineNoun, type Fields } from "../defineNoun.ts";
import { code, id, instant, status, text, type Value } from "../value.ts";

/** A request, and what the operator who reads it may do about it. */
type Request = OperatorApproval & {
  readonly isOwn: boolean;
  readonly mayApprove: boolean;
  readonly mayEnd: boolean;
  /** What is to be known before it is approved; empty for nothing. */
  readonly warning: string;
  /** Of a request about a sign-in wallet, on its own page, for who may approve it. */
  readonly wallet?: string | null;
};

/** The one who asked may take the request back, and never approve it. */
async function toRequest({ actor, db }: OperatorContext, request: OperatorApproval): Promise<Request> {
  const { status: state, verb, askedById, subjectId } = request;
  const isOwn = askedById === actor.id;
  const mayEnd = state === "WAITING" && isOperatorVerb(verb) && hasRole(actor, verb);
  const warning = state === "WAITING" && verb === "payments.refund" ? await readDoubleWarning({ db }, subjectId) : "";
  return { ...request, isOwn, mayEnd, mayApprove: mayEnd && !isOwn && actor.proof === "oidc", warning };
}

const describeVerb = ({ verb }: OperatorApproval): string => (isOperatorVerb(verb) ? findVerbRow(verb).text : verb);

const listInput = ({ input }: OperatorApproval): Value[] =>
  Object.entries(input).flatMap(([name, value]) => (name === "sealed" ? [] : [text(`${name} ${String(value)}`)]));

/** What changes of an endpoint, before and after: the host of an address may be shared by many receivers. */
const listEndpoint = ({ webhookUrl, contact, payload, hasAllEvents }: AskedEndpoint): Fields => {
  const beside = <T>(name: string, values: { now: T; asked: T } | null, show: (value: T) => Value): Fields =>
    values === null
      ? []
      : [[`${name} now`, show(values.now)] as const, [`${name} asked for`, show(values.asked)] as const];
  return [
    ...beside("Address", webhookUrl, code),
    ...beside("Contact", contact, (address) => text(address, "person")),
    ...beside("Payload", payload, text),
    ...beside("Events", hasAllEvents, (isAll) => text(isAll ? "all" : "published")),
  ];
};

export const approvals = defineNoun({
  name: "approvals",
  title: "Approvals",
  group: "Access",
  brief: "Changes that wait for a second person",
  argument: { name: "id", brief: "Id of the request" },
  keyOf: (row: Request) => row.id,
  list: {
    verb: "approvals.list",
    brief: "Lists requests, newest first",
    example: "approvals list --status WAITING",
    lead:
      "Some changes need a second person. They run when that person approves them, and end a day after they were " +
      "asked for.",
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
      { name: "Id", of: (row) => id(row.id, "approvals") },
      { name: "Status", of: (row) => status(row.status, approvalMachine) },
      { name: "Verb", of: (row) => code(row.verb) },
      { name: "Subject", of: (row) => text(`${row.subjectKind} ${row.subjectId}`), terminal: "optional" },
      { name: "Asked by", of: (row) => text(row.askedByName), terminal: "elastic" },
      { name: "Reason", of: (row) => text(row.reason), terminal: "hidden" },
      { name: "Ends", of: (row) => instant(row.expiresAt) },
      { name: "Decided by", of: (row) => text(row.decidedByName), terminal: "hidden" },
      { name: "Decided at", of: (row) => instant(row.decidedAt), terminal: "hidden" },
    ],
    read: async (ctx, choice) =>
      Promise.all((await listApprovals(ctx, choice)).map((request) => toRequest(ctx, request))),
  },
  show: {
    verb: "approvals.show",
    brief: "Shows one request",
    example: "approvals show 01J8Z2",
    title: "Request",
    read: async (ctx, key) => {
      const request = await toRequest(ctx, await getApproval(ctx, { id: key }));
      return { ...request, endpoint: await openApproval(ctx, { id: key }), wallet: await findAskedWallet(ctx, key) };
    },
    rowOf: (request) => request,
    fields: (request) => [
      ["Request", code(request.id)],
      ["What it does", text(describeVerb(request))],
      ["Status", status(request.status, approvalMachine)],
      ["Verb", code(request.verb)],
      ["Subject", [text(request.subjectKind), code(request.subjectId)]],
      ["Input", listInput(request)],
      ...(request.endpoint === null ? [] : listEndpoint(request.endpoint)),
      ...(request.wallet ? [["Wallet", code(request.wallet)] as const] : []),
      ["Asked by", [text(request.askedByName), code(request.askedById)]],
      ["Reason", text(request.reason)],
      ...(request.warning === "" ? [] : ([["Before you approve it", text(request.warning)]] as const)),
      ["Asked at", instant(request.askedAt)],
      ["Ends", instant(request.expiresAt)],
      ...(request.decidedAt === null
        ? []
        : ([["Decided", instant(request.decidedAt, request.decidedByName)]] as const)),
    ],
  },
  acts: {
    approve: {
      verb: "approvals.approve",
      brief: "Approves a request of another operator, and runs what it asks for",
      example: "approvals approve 01J8Z2",
      done: () => "You approved the request, and it was run.",
      leadsToList: true,
      offer: (request) =>
        request.mayApprove
          ? {
              label: `Approve: ${describeVerb(request)}`,
              consequence: `${request.warning === "" ? "" : `${request.warning} `}${request.verb} runs at once. The action log names ${request.askedByName} and you.`,
              isDanger: true,
            }
          : null,
      run: async (ctx, key) => {
        const { newKey, ...request } = await approveRequest(ctx, { id: key });
        if (newKey === null) return toRequest(ctx, request);
        const fields = [
          ["Partner", code(request.subjectId)],
          ["New key", code(newKey)],
          ["Note", text("Keep the key now: it is shown once.")],
        ] as const;
        return new Answered(key, { ...request, newKey }, fields, true);
      },
    },
    reject: {
      verb: "approvals.reject",
      brief: "Rejects a request, or takes back your own",
      example: "approvals reject 01J8Z2 --reason withdrawn",
      done: () => "The request has ended.",
      leadsToList: true,
      offer: ({ mayEnd, isOwn }) =>
        mayEnd
          ? {
              label: isOwn ? "Take this request back" : "Reject this request",
              consequence: `The request ends, and nothing is run.${isOwn ? " You asked for it, so another person approves it." : ""}`,
            }
          : null,
      run: async (ctx, key) => toRequest(ctx, await rejectRequest(ctx, { id: key })),
    },
  },
});
