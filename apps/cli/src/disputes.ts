import { disputeMachine, type DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { listStates } from "@cardkeep/contract/core/machine";
import { grantCredit, revokeCredit } from "@cardkeep/domain/spending/disputes/decideCredit";
import {
  type DisputeDetails,
  getDisputeDetails,
  listAllDisputes,
} from "@cardkeep/domain/spending/disputes/listAllDisputes";
import { submitDispute, withdrawDispute } from "@cardkeep/domain/spending/disputes/submitDispute";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

type Disputes = Awaited<ReturnType<typeof listAllDisputes>>;

const renderDisputes = (disputes: Disputes): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "status" },
      { title: "reason", elastic: true },
      { title: "cents", align: "right" },
      { title: "user", optional: true },
      { title: "submit by" },
      { title: "at" },
    ],
    disputes.map(({ id, status, reason, amountCents, userId, submitBy, createdAt }) => [
      id,
      status,
      disputeReasons[reason],
      String(amountCents ?? "-"),
      userId,
      submitBy,
      createdAt,
    ]),
    "There are no such disputes. A person opens one about a payment in your app.",
  );

const renderDispute = ({ dispute, evidence, missing }: DisputeDetails): Text =>
  renderFields([
    ["Dispute", dispute.id],
    ["Status", [dispute.status, disputeMachine.states[dispute.status].means]],
    ["Reason", disputeReasons[dispute.reason]],
    ["Cents", String(dispute.amountCents ?? "-")],
    ["Paid by the issuer, cents", String(dispute.reinstatedCents)],
    ["Reason of the loss", dispute.lossReason ?? "-"],
    ["At the issuer", dispute.issuerDisputeId ?? "-"],
    ["Payment", dispute.paymentId],
    ["User", dispute.userId],
    ["Submit by", dispute.submitBy],
    ["Submitted", dispute.submittedAt],
    ["Return due by law", dispute.creditDueAt],
    ["Returned for it, cents", String(dispute.creditCents)],
    ["Ended", dispute.closedAt],
    ["Evidence", evidence.length === 0 ? "-" : evidence.map(({ slot, fields }) => [slot, ...fields].join("  "))],
    ["Still missing", missing.length === 0 ? "-" : missing.join(", ")],
  ]);

interface ListFlags {
  status?: DisputeStatus;
  user?: string;
  due?: boolean;
  limit: number;
}

const disputeArgument = textArgument("dispute", "Id of the dispute, of its payment, or of its thread");

export const disputes = buildRouteMap({
  docs: { brief: "Disputes of card payments" },
  routes: {
    list: buildVerb({
      verb: "disputes.list",
      brief: "Lists disputes, newest first",
      example: ["disputes list --status submitted", "disputes list --due"],
      parameters: {
        flags: withJson({
          status: {
            kind: "enum",
            values: listStates(disputeMachine),
            optional: true,
            placeholder: "STATUS",
            brief: "Only disputes with this status",
          },
          user: optionalText("USER", "Only disputes of this user"),
          due: {
            kind: "boolean",
            optional: true,
            withNegated: false,
            brief: "Only those to be submitted within two weeks, the most urgent first",
          },
          limit,
        }),
      },
      run: async (cli: CliContext, { due, ...flags }: ListFlags) => {
        const data = await listAllDisputes(await cli.open(), { ...flags, isDue: due });
        return { data, text: joinTexts(renderDisputes(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "disputes.show",
      brief: "Shows one dispute with what evidence there is",
      example: "disputes show iauth_1a2b3c4d",
      parameters: { flags: withJson({}), positional: disputeArgument },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await getDisputeDetails(await cli.open(), { reference });
        return { data, text: renderDispute(data) };
      },
    }),
    submit: buildChange({
      verb: "disputes.submit",
      brief: "Submits a dispute now, complete or not; give --reason",
      example: "disputes submit iauth_1a2b3c4d --reason complete",
      parameters: { flags: withReason({}), positional: disputeArgument },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await submitDispute(await cli.open(), { reference });
        return { data, text: `The worker submits dispute ${data.id}.\n` };
      },
    }),
    withdraw: buildChange({
      verb: "disputes.withdraw",
      brief: "Withdraws a dispute before its submission; give --reason",
      example: "disputes withdraw iauth_1a2b3c4d --reason settled",
      parameters: { flags: withReason({}), positional: disputeArgument },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await withdrawDispute(await cli.open(), { reference });
        return { data, text: `Dispute ${data.id} is withdrawn.\n` };
      },
    }),
    credit: buildChange({
      verb: "disputes.credit",
      brief:
        "Returns the money of a payment that was reported as fraud, also where there are grounds against it; give --reason",
      example: "disputes credit iauth_1a2b3c4d --reason believed",
      parameters: { flags: withReason({}), positional: disputeArgument },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await grantCredit(await cli.open(), { reference });
        return { data, text: `The worker returns ${data.creditCents} cents for dispute ${data.id}.\n` };
      },
    }),
    revoke: buildChange({
      verb: "disputes.revoke",
      brief: "Withdraws the money that was returned for a report of fraud: it is collected again; give --reason",
      example: "disputes revoke iauth_1a2b3c4d --reason admitted",
      parameters: { flags: withReason({}), positional: disputeArgument },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await revokeCredit(await cli.open(), { reference });
        return { data, text: `The worker collects what was returned for dispute ${data.id}.\n` };
      },
    }),
  },
});
