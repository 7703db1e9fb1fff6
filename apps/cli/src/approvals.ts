import type { OperatorApproval } from "@cardkeep/db/queries/operators/approvals";
import { approvalStatuses, type ApprovalStatus } from "@cardkeep/db/schema/operators/operators";
import { approveRequest, listApprovals, rejectRequest } from "@cardkeep/domain/operations/executors/decideApproval";
import { buildRouteMap } from "@stricli/core";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts } from "./texts.ts";

const columns = [
  { title: "id" },
  { title: "status" },
  { title: "verb" },
  { title: "subject", optional: true },
  { title: "asked by", elastic: true },
  { title: "ends" },
];

const answer = (request: OperatorApproval): Answer => ({
  data: request,
  text: renderFields([
    ["Request", request.id],
    ["Status", request.status],
    ["Verb", request.verb],
    [
      "Input",
      Object.entries(request.input)
        .filter(([name]) => name !== "sealed")
        .map(([name, value]) => `${name} ${String(value)}`),
    ],
    ["Asked by", request.askedByName],
    ["Reason", request.reason ?? "-"],
    ["Decided by", request.decidedByName ?? "-"],
  ]),
});

const idArgument = textArgument("id", "Id of the request");

export const approvals = buildRouteMap({
  docs: { brief: "Changes that wait for a second person" },
  routes: {
    list: buildVerb({
      verb: "approvals.list",
      brief: "Lists requests, newest first",
      example: "approvals list --status WAITING",
      parameters: {
        flags: withJson({
          status: {
            kind: "enum",
            values: approvalStatuses,
            optional: true,
            placeholder: "STATUS",
            brief: "Only requests with this status",
          },
          limit,
        }),
      },
      run: async (cli: CliContext, { status, limit: most }: { status?: ApprovalStatus; limit: number }) => {
        const data = await listApprovals(await cli.open(), { status: status ?? null, limit: most });
        const rows = data.map((request) => [
          request.id,
          request.status,
          request.verb,
          `${request.subjectKind} ${request.subjectId}`,
          request.askedByName,
          request.expiresAt,
        ]);
        return {
          data,
          text: joinTexts(
            renderTable(
              columns,
              rows,
              "There are no such requests. Changes that OPERATOR_TWO_PERSONS names wait here.",
            ),
            formatMoreHint(data, most),
          ),
        };
      },
    }),
    approve: buildChange({
      verb: "approvals.approve",
      brief: "Approves a request of another operator, and runs what it asks for",
      example: "approvals approve 01J8Z2",
      parameters: { flags: withReason({}), positional: idArgument },
      run: async (cli: CliContext, _: object, id: string) => answer(await approveRequest(await cli.open(), { id })),
    }),
    reject: buildChange({
      verb: "approvals.reject",
      brief: "Rejects a request, or takes back your own",
      example: "approvals reject 01J8Z2 --reason withdrawn",
      parameters: { flags: withReason({}), positional: idArgument },
      run: async (cli: CliContext, _: object, id: string) => answer(await rejectRequest(await cli.open(), { id })),
    }),
  },
});
