import { disputeReasonKeys } from "@cardkeep/contract/core/disputeReasons";
import { listStates } from "@cardkeep/contract/core/machine";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import type { ListedPayment } from "@cardkeep/db/queries/spending/listAllPayments";
import { formatCents, formatToken, formatTokenShort } from "@cardkeep/domain/spending/payments/formatMoney";
import { getPaymentDetails, listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { requestRefund } from "@cardkeep/domain/spending/cases/requestRefund";
import { disputable } from "@cardkeep/domain/spending/disputes/beginDispute";
import { disputePaymentFor } from "@cardkeep/domain/spending/disputes/disputePaymentFor";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, status, text } from "../value.ts";

/** What a list shows of a payment, and what one payment has too. */
type PaymentRow = Omit<ListedPayment, "standIn">;

const nameDecline = ({ status: state, declineReason }: PaymentRow): string | null =>
  state === "DECLINED" ? declineReason : null;

const readPayment = async (ctx: OperatorContext, reference: string): Promise<PaymentRow> => {
  const { payment, card } = await getPaymentDetails(ctx, { reference });
  return { ...payment, lastFourDigits: card.lastFourDigits };
};

export const payments = defineNoun({
  name: "payments",
  title: "Payments",
  group: "Money",
  brief: "Card payments",
  hasOwnPages: true,
  argument: { name: "payment", brief: "Id of the payment, or of its thread" },
  keyOf: (row: PaymentRow) => row.id,
  list: {
    verb: "payments.list",
    brief: "Lists card payments, newest first",
    example: ["payments list --status DECLINED", "payments list --user ada@example.org --limit 10"],
    lead: "What cards paid, and what was declined.",
    none: "There are no such payments.",
    hint: "The use of a card makes one.",
    filters: {
      // No commit leaves a payment in REQUESTED.
      status: {
        label: "Status",
        brief: "Only payments with this status",
        placeholder: "STATUS",
        values: listStates(paymentMachine).filter((state) => state !== "REQUESTED"),
        isTab: true,
      },
      merchant: {
        label: "Merchant begins with",
        brief: "Only payments at merchants whose name begins so",
        placeholder: "NAME",
      },
      user: { label: "User, wallet or Safe", brief: "Only payments of this user", placeholder: "USER" },
      card: {
        label: "Card or card token",
        brief: "Only payments of this card, by id or card token",
        placeholder: "CARD",
      },
      reason: {
        label: "Decline",
        brief: "Only declines with this code; /docs/declines lists them",
        placeholder: "CODE",
        values: [...declineCatalogue.keys()],
      },
    },
    columns: [
      { name: "Payment", of: (row) => id(row.id, "payments") },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Amount", of: (row) => amount(formatCents(row.authorizedCents, row.billingCurrency)), isRight: true },
      { name: "Merchant", of: (row) => text(row.merchantName, "stranger"), terminal: "elastic" },
      { name: "Card", of: (row) => id(row.cardId, "cards"), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "hidden" },
      { name: "Decline", of: (row) => code(nameDecline(row)), terminal: "optional" },
      { name: "At", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, choice): Promise<readonly PaymentRow[]> => listAllPayments(ctx, choice),
  },
  show: {
    verb: "payments.show",
    brief: "Shows one payment with its sums",
    example: "payments show iauth_1a2b3c4d",
    title: "Payment",
    read: (ctx, key) => getPaymentDetails(ctx, { reference: key }),
    rowOf: ({ payment, card }) => ({ ...payment, lastFourDigits: card.lastFourDigits }),
    fields: ({ payment, card, safe, decline, dispute }) => {
      const cents = (value: bigint) => amount(formatCents(value, payment.billingCurrency));
      return [
        ["Payment", code(payment.id)],
        ["Status", status(payment.status)],
        ["Declined", decline === null ? code(null) : code(decline.code, `${decline.happened} ${decline.remedy}`)],
        ["Thread", code(payment.threadId)],
        ["Merchant", text(payment.merchantName, "stranger")],
        ["Authorized", cents(payment.authorizedCents)],
        ["Captured", cents(payment.capturedCents)],
        ["Reversed", cents(payment.reversedCents)],
        ["Refunded", cents(payment.refundedCents)],
        ["Owed", amount(formatTokenShort(payment.owed, safe.tokenSymbol), formatToken(payment.owed, safe.tokenSymbol))],
        ["Card", id(card.id, "cards")],
        ["User", id(payment.userId, "users")],
        ["Safe", code(safe.address)],
        ["Dispute", status(dispute?.status ?? null)],
        ["At", instant(payment.createdAt)],
      ];
    },
  },
  acts: {
    refund: {
      verb: "payments.refund",
      brief: "Returns money of a payment from the settlement account to its Safe, at your cost; give --reason",
      details:
        "Never more goes back than has left the Safe and was not returned, and nothing while the user owes. A later refund by\n" +
        "the issuer is paid too, up to what is left.",
      example: "payments refund iauth_1a2b3c4d 12.50 --reason goodwill",
      inputs: {
        amount: {
          label: "Amount",
          brief: "Amount in whole tokens, such as 12.50",
          placeholder: "amount",
          isArgument: true,
        },
      },
      offer: () => ({
        label: "Return money",
        consequence: "The worker pays it from the settlement account.",
        isDanger: true,
      }),
      run: async (ctx, key, given) => {
        await refundPayment(ctx, { reference: key, amount: given["amount"] ?? "" });
        return readPayment(ctx, key);
      },
    },
    "request-refund": {
      verb: "payments.request-refund",
      brief: "Asks finance to return money of a payment, by a case; give --reason",
      example: "payments request-refund iauth_1a2b3c4d 12.50 --reason parcel-never-came",
      inputs: {
        amount: {
          label: "Amount",
          brief: "Amount in the card's currency, such as 12.50",
          placeholder: "amount",
          isArgument: true,
        },
      },
      offer: ({ status: state }) =>
        disputable.includes(state)
          ? { label: "Ask finance for a refund", consequence: "It opens a case for finance. No money moves by this." }
          : null,
      run: async (ctx, key, given) => {
        await requestRefund(ctx, { reference: key, amount: given["amount"] ?? "" });
        return readPayment(ctx, key);
      },
    },
    dispute: {
      verb: "payments.dispute",
      brief: "Opens a dispute of a payment for its holder, in the holder's words; give --reason",
      details:
        "It has the same effects as the holder's own: a report of fraud closes the card for good, and its money may be back at\n" +
        "once. The holder gets a mail. The words become evidence, and the action log has none of them.",
      example:
        "payments dispute iauth_1a2b3c4d charged_more_than_once --explanation paid-once --reason phone-call-4711",
      inputs: {
        disputeReason: {
          label: "Reason of the dispute",
          brief: "Why the holder disputes it",
          placeholder: "disputeReason",
          values: disputeReasonKeys,
          isArgument: true,
        },
        explanation: {
          label: "What happened, in the holder's words",
          brief: "What happened, in the holder's words",
          placeholder: "WORDS",
        },
      },
      offer: ({ status: state }) =>
        disputable.includes(state)
          ? {
              label: "Open a dispute for the holder",
              consequence:
                "It goes to the issuer, as if the holder had asked for it, and the holder gets a mail. A report of fraud closes the card for good.",
              isDanger: true,
            }
          : null,
      run: async (ctx, key, { disputeReason = "", explanation = "" }) => {
        await disputePaymentFor(ctx, { reference: key, disputeReason, explanation });
        return readPayment(ctx, key);
      },
    },
  },
});
