import { listStates } from "@cardkeep/contract/core/machine";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import { formatCents, formatToken, formatTokenShort } from "@cardkeep/domain/spending/payments/formatMoney";
import { getPaymentDetails, listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, money, status, text } from "../value.ts";
import { type PaymentRow, paymentActs } from "./paymentActs.ts";

const nameDecline = ({ status: state, declineReason }: PaymentRow): string | null =>
  state === "DECLINED" ? declineReason : null;

export const payments = defineNoun({
  name: "payments",
  title: "Payments",
  group: "Money",
  brief: "Card payments",
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
      { name: "Amount", of: (row) => money(row.authorizedCents, row.billingCurrency), isRight: true },
      { name: "Currency", of: (row) => text(row.billingCurrency), terminal: "hidden", page: "never" },
      { name: "Merchant", of: (row) => text(row.merchantName, "stranger"), terminal: "elastic" },
      { name: "Card", of: (row) => id(row.cardId, "cards"), terminal: "hidden" },
      { name: "Digits", of: (row) => text(row.lastFourDigits, "person"), terminal: "hidden", page: "never" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "hidden" },
      { name: "Decline", of: (row) => code(nameDecline(row)), terminal: "optional", page: "filled" },
      { name: "Stand-in", of: (row) => text(row.standIn ?? null), terminal: "hidden", page: "filled" },
      { name: "At", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, choice): Promise<readonly PaymentRow[]> => listAllPayments(ctx, choice),
  },
  show: {
    verb: "payments.show",
    brief: "Shows one payment from its authorization to its settlement, with its bookings",
    example: "payments show iauth_1a2b3c4d",
    title: "Payment",
    read: (ctx, key) => getPaymentDetails(ctx, { reference: key }),
    rowOf: ({ payment, card }) => ({ ...payment, lastFourDigits: card.lastFourDigits }),
    fields: (shown) => {
      const { payment, card, safe, decline, dispute, standIn, sums, doubles } = shown;
      const cents = (value: bigint) => amount(formatCents(value, payment.billingCurrency));
      return [
        ["Payment", code(payment.id)],
        ["Status", status(payment.status)],
        [
          "Declined",
          decline === null ? text(null) : [text(`${decline.code ?? "-"}: ${decline.happened}`), text(decline.remedy)],
        ],
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
        ["Decided without us", text(standIn && `${standIn.decision}  ${standIn.reason}`)],
        ["Dispute", text(dispute && `${dispute.reason}  ${dispute.status}`)],
        ["Possible double of", doubles.map((other) => id(other.id, "payments"))],
        ["At", instant(payment.createdAt)],
        [
          "Ledger",
          ledgerAccounts.map((account) =>
            amount(
              formatTokenShort(sums[account], safe.tokenSymbol),
              formatToken(sums[account], safe.tokenSymbol),
              account,
            ),
          ),
        ],
        [
          "Steps",
          listPaymentSteps(shown).map(({ at, word, facts }) => text([formatInstant(at), word, ...facts].join("  "))),
        ],
      ];
    },
  },
  acts: paymentActs,
});
