import { disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { listStates } from "@cardkeep/contract/core/machine";
import { disputeMachine } from "@cardkeep/contract/spending/disputes";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import { draftDisputeStatuses } from "@cardkeep/db/schema/spending/disputes";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { formatUnits, padDecimals } from "@cardkeep/domain/core/wording";
import { nameEvidence } from "@cardkeep/domain/spending/disputes/nameEvidence";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { grantCredit, revokeCredit } from "@cardkeep/domain/spending/disputes/decideCredit";
import { dueDays, getDisputeDetails, listAllDisputes } from "@cardkeep/domain/spending/disputes/listAllDisputes";
import { submitDispute, withdrawDispute } from "@cardkeep/domain/spending/disputes/submitDispute";
import { defineNoun } from "../defineNoun.ts";
import type { Input } from "../noun.ts";
import { amount, code, count, id, instant, status, text, type Value } from "../value.ts";

/** Cents of an archived payment, whose currency is not known any more, and of a list. */
const centsAlone = (cents: bigint | null): Value => {
  if (cents === null) return text(null);
  const decimal = padDecimals(formatUnits(cents, 2));
  return { ...amount(decimal), number: decimal };
};

/** The other payment of a double charge, as an input. */
export const originalInput = {
  label: "The other payment of a double charge, by its id or thread",
  brief: "The other payment of a double charge, by its id or thread",
  placeholder: "PAYMENT",
} as const satisfies Input;

/** A dispute with what is missing in words for operators, who read English. */
async function readShown(ctx: OperatorContext, reference: string) {
  const details = await getDisputeDetails(ctx, { reference });
  return { ...details, missingNames: nameEvidence(ctx.languages.of("en"), details.missing) };
}

export const disputes = defineNoun({
  name: "disputes",
  title: "Disputes",
  group: "Money",
  brief: "Disputes of card payments",
  argument: { name: "dispute", brief: "Id of the dispute, of its payment, or of its thread" },
  keyOf: (row: CardDispute) => row.id,
  list: {
    verb: "disputes.list",
    brief: "Lists disputes, newest first",
    example: ["disputes list --status submitted", "disputes list --due"],
    lead: "Disputes of card payments, and what became of them.",
    none: "There are no such disputes.",
    hint: "A person opens one about a payment in your app.",
    filters: {
      status: {
        label: "Status",
        brief: "Only disputes with this status",
        placeholder: "STATUS",
        values: listStates(disputeMachine),
        isTab: true,
      },
      due: {
        label: "Submission",
        brief: `Only those to be submitted within ${dueDays} days, the most urgent first`,
        placeholder: "yes",
        values: ["yes"],
        isSwitch: true,
      },
      user: { label: "User, wallet or Safe", brief: "Only disputes of this user", placeholder: "USER" },
    },
    columns: [
      { name: "Dispute", of: (row) => id(row.id, "disputes") },
      { name: "Status", of: (row) => status(row.status, disputeMachine) },
      { name: "Reason", of: (row) => text(disputeReasons[row.reason]), terminal: "elastic" },
      { name: "Amount", of: (row) => centsAlone(row.amountCents), isRight: true },
      { name: "Paid by the issuer", of: (row) => centsAlone(row.reinstatedCents), isRight: true, terminal: "hidden" },
      { name: "Payment", of: (row) => id(row.paymentId, "payments"), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "optional" },
      { name: "Submit by", of: (row) => instant(row.submitBy) },
      { name: "Asked for", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, { due, ...choice }) => listAllDisputes(ctx, { ...choice, isDue: due !== null }),
  },
  show: {
    verb: "disputes.show",
    brief: "Shows one dispute with what evidence there is",
    example: "disputes show iauth_1a2b3c4d",
    title: "Dispute",
    read: readShown,
    rowOf: ({ dispute }) => dispute,
    page: ({ dispute: { status: current, paymentId, createdAt, submittedAt }, evidence }) => ({
      tables: [
        {
          name: "evidence",
          title: "Evidence",
          none: "The user gave no evidence.",
          columns: ["Piece", "Holds", "Bytes", "Given", "With the issuer"],
          rows: evidence.map(({ slot, fields, mediaType, size, createdAt: givenAt, handedAt }) => [
            text(slot),
            text(mediaType ?? fields.join(", ")),
            count(size),
            instant(givenAt),
            instant(handedAt),
          ]),
        },
      ],
      state: {
        machine: disputeMachine,
        current,
        history: [
          { state: "requested", at: createdAt },
          ...(submittedAt === null ? [] : [{ state: "submitted", at: submittedAt }]),
        ].filter(({ state }) => state !== current),
      },
      related: [{ noun: "cases", filter: "payment", word: paymentId }],
    }),
    fields: ({ dispute, payment, evidence, missingNames }) => {
      const cents = (value: bigint | null): Value =>
        value === null || payment === null ? centsAlone(value) : amount(formatCents(value, payment.billingCurrency));
      return [
        ["Dispute", code(dispute.id)],
        ["Status", [status(dispute.status, disputeMachine), text(disputeMachine.states[dispute.status].means)]],
        ["Reason", text(disputeReasons[dispute.reason])],
        ["Amount", cents(dispute.amountCents)],
        ["Paid by the issuer", cents(dispute.reinstatedCents)],
        ["Reason of the loss", text(dispute.lossReason)],
        ["At the issuer", code(dispute.issuerDisputeId)],
        ["Disputed capture", code(dispute.claimId)],
        ["Payment", id(dispute.paymentId, "payments")],
        ["User", id(dispute.userId, "users")],
        ["Request", code(dispute.requestId)],
        ["Asked for", instant(dispute.createdAt)],
        ["Submit by", instant(dispute.submitBy)],
        ["Submitted", instant(dispute.submittedAt)],
        ["Return due by law", instant(dispute.creditDueAt)],
        ["Returned for it", cents(dispute.creditCents)],
        ["Ended", instant(dispute.closedAt)],
        ["Evidence", evidence.map(({ slot, fields }) => text([slot, ...fields].join("  ")))],
        ["Still missing", text(missingNames || null)],
      ];
    },
  },
  acts: {
    submit: {
      verb: "disputes.submit",
      brief: "Submits a dispute now, complete or not; give --reason",
      example: "disputes submit iauth_1a2b3c4d --reason complete",
      inputs: {
        explanation: {
          label: "Explanation for the issuer",
          isLong: true,
          brief: "What the issuer gets in addition to the user's text",
          placeholder: "TEXT",
        },
        original: originalInput,
      },
      offer: (row) =>
        row.status === "created"
          ? {
              label: "Submit now",
              consequence:
                "The worker hands the evidence on and submits the dispute, also where something is missing. The issuer may refuse " +
                "that. Nothing can be added afterwards.",
              ...(row.reason !== "charged_more_than_once" && { given: { original: "" } }),
            }
          : null,
      run: (ctx, key, { explanation = "", original = "" }) =>
        submitDispute(ctx, { reference: key, explanation: explanation.trim(), original: original.trim() }),
    },
    withdraw: {
      verb: "disputes.withdraw",
      brief: "Withdraws a dispute before its submission; give --reason",
      example: "disputes withdraw iauth_1a2b3c4d --reason settled",
      offer: (row) =>
        draftDisputeStatuses.includes(row.status)
          ? {
              label: "Withdraw",
              consequence: "The dispute ends, and the payment cannot be disputed again. It cannot be undone.",
              isDanger: true,
            }
          : null,
      run: (ctx, key) => withdrawDispute(ctx, { reference: key }),
    },
    credit: {
      verb: "disputes.credit",
      brief:
        "Returns the money of a payment that was reported as fraud, also where there are grounds against it; give --reason",
      example: "disputes credit iauth_1a2b3c4d --reason believed",
      offer: (row) =>
        row.creditDueAt !== null && (row.creditCents === 0n || row.creditCents < (row.amountCents ?? 0n))
          ? {
              label: "Return the money",
              consequence:
                "The worker returns what the payment moved to the Safe, at your cost until the issuer pays. You can withdraw it.",
            }
          : null,
      run: (ctx, key) => grantCredit(ctx, { reference: key }),
    },
    revoke: {
      verb: "disputes.revoke",
      brief: "Withdraws the money that was returned for a report of fraud: it is collected again; give --reason",
      example: "disputes revoke iauth_1a2b3c4d --reason admitted",
      offer: (row) =>
        row.creditDueAt !== null && row.creditCents > 0n
          ? {
              label: "Withdraw the returned money",
              consequence: "It is collected from the Safe again. What the Safe lacks becomes a debt and a case.",
              isDanger: true,
            }
          : null,
      run: (ctx, key) => revokeCredit(ctx, { reference: key }),
    },
  },
});
