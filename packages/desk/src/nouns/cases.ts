import { cardCaseKindNames, cardCaseKinds, cardCaseStatuses } from "@cardkeep/contract/spending/cardCases";
import {
  acceptCase,
  closeCase,
  getCaseDetails,
  isOfPerson,
  listCases,
} from "@cardkeep/domain/spending/cases/listCases";
import { formatMinor } from "@cardkeep/domain/spending/payments/formatMoney";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, status, text } from "../value.ts";

/** Nothing where no money is at stake. */
const showAmount = (row: Awaited<ReturnType<typeof listCases>>[number]) =>
  isOfPerson(row) ? text(null) : amount(formatMinor(row.amountCents, row.currency));

export const cases = defineNoun({
  name: "cases",
  title: "Cases",
  group: "Money",
  brief: "Cases: what needs a person",
  argument: { name: "case", brief: "Id of the case" },
  keyOf: (row) => row.id,
  list: {
    verb: "cases.list",
    brief: "Lists cases, newest first",
    example: ["cases list --status OPEN", "cases list --user ada@example.org"],
    lead: "What card money needs settled by hand, and what people and support ask for.",
    none: "There are no such cases.",
    hint: "The service opens one where money needs a person, or support asks for something.",
    filters: {
      status: {
        label: "Status",
        brief: "Only cases with this status",
        placeholder: "STATUS",
        values: cardCaseStatuses,
        isTab: true,
      },
      kind: { label: "Kind", brief: "Only cases of this kind", placeholder: "KIND", values: cardCaseKindNames },
      user: { label: "User, wallet or Safe", brief: "Only cases of this user", placeholder: "USER" },
      payment: { label: "Payment", brief: "Only cases of this payment, by its id", placeholder: "PAYMENT" },
    },
    columns: [
      { name: "Case", of: (row) => id(row.id, "cases") },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Kind", of: (row) => code(row.kind) },
      { name: "Amount", of: showAmount, isRight: true },
      { name: "Payment", of: (row) => id(row.paymentId, "payments"), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "optional" },
      { name: "Opened", of: (row) => instant(row.createdAt) },
      { name: "Closed", of: (row) => instant(row.closedAt), terminal: "hidden" },
    ],
    read: listCases,
  },
  show: {
    verb: "cases.show",
    brief: "Shows one case",
    example: "cases show 3f1c9a52",
    title: "Case",
    read: (ctx, key) => getCaseDetails(ctx, { id: key }),
    rowOf: (shown) => shown,
    fields: (row) => [
      ["Case", code(row.id)],
      ["Status", status(row.status)],
      ["Kind", code(row.kind, cardCaseKinds[row.kind])],
      ["Amount", showAmount(row)],
      ["What happened", text(row.note, "stranger")],
      ...(row.warning === "" ? [] : ([["Before you return it", text(row.warning)]] as const)),
      ...(row.words === null ? [] : ([["In the person's words", text(row.words, "person")]] as const)),
      ...(row.asked === null
        ? []
        : ([
            ["Asked for", instant(row.asked.at, row.asked.by)],
            ["Reason of the request", text(row.asked.reason)],
          ] as const)),
      ["Payment", id(row.paymentId, "payments")],
      ["Dispute", id(row.disputeId, "disputes")],
      ["Order", id(row.orderId, "orders")],
      ["IBAN order", code(row.ibanOrderId)],
      ["Mint", code(row.mintId)],
      ["Thread at the issuer", code(row.threadId)],
      ["User", id(row.userId, "users")],
      ["Request", code(row.requestId)],
      ["Opened", instant(row.createdAt)],
      ["To settle by", instant(row.dueAt)],
      ["Closed", instant(row.closedAt, row.closedBy)],
      ["How it was settled", text(row.closeReason)],
    ],
  },
  acts: {
    accept: {
      verb: "cases.accept",
      brief: "Books a second capture or a great credit all the same; give --reason",
      example: "cases accept 3f1c9a52 --reason confirmed",
      offer: (row) =>
        row.status === "OPEN" && row.threadId !== null
          ? {
              label: "Book it all the same",
              consequence:
                "A second capture is collected from the Safe, a credit is paid to it. Other cases cannot be accepted.",
              isDanger: true,
            }
          : null,
      run: (ctx, key) => acceptCase(ctx, { id: key }),
    },
    close: {
      verb: "cases.close",
      brief: "Closes a case that was settled; give --reason",
      example: "cases close 3f1c9a52 --reason settled",
      offer: (row) =>
        row.status === "OPEN"
          ? {
              label: "Close this case",
              consequence: "It is settled. No money moves by this. If its amount grows later, it opens again.",
            }
          : null,
      run: (ctx, key) => closeCase(ctx, { id: key }),
    },
  },
});
