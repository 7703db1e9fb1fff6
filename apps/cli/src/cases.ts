import {
  cardCaseKindNames,
  cardCaseKinds,
  type CardCaseKind,
  cardCaseStatuses,
  type CardCaseStatus,
} from "@cardkeep/contract/spending/cardCases";
import { acceptCase, closeCase, getCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { formatMinor } from "@cardkeep/domain/spending/payments/formatMoney";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text } from "./texts.ts";

type CardCase = Awaited<ReturnType<typeof getCase>>;

const renderCases = (cases: readonly CardCase[]): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "status" },
      { title: "kind" },
      { title: "amount", align: "right" },
      { title: "user", optional: true },
      { title: "opened" },
    ],
    cases.map(({ id, status, kind, amountCents, currency, userId, createdAt }) => [
      id,
      status,
      kind,
      formatMinor(amountCents, currency),
      userId,
      createdAt,
    ]),
    "There are no such cases. The service opens one where card money needs a person.",
  );

const renderCase = (shown: CardCase): Text =>
  renderFields([
    ["Case", shown.id],
    ["Status", shown.status],
    ["Kind", [shown.kind, cardCaseKinds[shown.kind]]],
    ["Amount", formatMinor(shown.amountCents, shown.currency)],
    ["What happened", shown.note],
    ["Payment", shown.paymentId ?? "-"],
    ["Dispute", shown.disputeId ?? "-"],
    ["Order", shown.orderId ?? "-"],
    ["IBAN order", shown.ibanOrderId ?? "-"],
    ["Mint", shown.mintId ?? "-"],
    ["User", shown.userId],
    ["Opened", shown.createdAt],
    ["To settle by", shown.dueAt],
    [
      shown.status === "OPEN" ? "Closed before" : "Closed",
      shown.closedAt === null ? null : phrase`${shown.closedAt} by ${shown.closedBy}`,
    ],
    ["How it was settled", shown.closeReason ?? "-"],
  ]);

interface ListFlags {
  status?: CardCaseStatus;
  kind?: CardCaseKind;
  user?: string;
  payment?: string;
  limit: number;
}

const caseArgument = textArgument("case", "Id of the case");

export const cases = buildRouteMap({
  docs: { brief: "Cases: what money needs settled by hand" },
  routes: {
    list: buildVerb({
      verb: "cases.list",
      brief: "Lists cases, newest first",
      example: ["cases list --status OPEN", "cases list --user ada@example.org"],
      parameters: {
        flags: withJson({
          status: {
            kind: "enum",
            values: cardCaseStatuses,
            optional: true,
            placeholder: "STATUS",
            brief: "Only cases with this status",
          },
          kind: {
            kind: "enum",
            values: cardCaseKindNames,
            optional: true,
            placeholder: "KIND",
            brief: "Only cases of this kind",
          },
          user: optionalText("USER", "Only cases of this user"),
          payment: optionalText("PAYMENT", "Only cases of this payment, by its id"),
          limit,
        }),
      },
      run: async (cli: CliContext, flags: ListFlags) => {
        const data = await listCases(await cli.open(), flags);
        return { data, text: joinTexts(renderCases(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "cases.show",
      brief: "Shows one case",
      example: "cases show 3f1c9a52",
      parameters: { flags: withJson({}), positional: caseArgument },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await getCase(await cli.open(), { id });
        return { data, text: renderCase(data) };
      },
    }),
    accept: buildChange({
      verb: "cases.accept",
      brief: "Books a second capture or a great credit all the same; give --reason",
      example: "cases accept 3f1c9a52 --reason confirmed",
      parameters: { flags: withReason({}), positional: caseArgument },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await acceptCase(await cli.open(), { id });
        return { data, text: renderCase(data) };
      },
    }),
    close: buildChange({
      verb: "cases.close",
      brief: "Closes a case that was settled; give --reason",
      example: "cases close 3f1c9a52 --reason settled",
      parameters: { flags: withReason({}), positional: caseArgument },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await closeCase(await cli.open(), { id });
        return { data, text: renderCase(data) };
      },
    }),
  },
});
