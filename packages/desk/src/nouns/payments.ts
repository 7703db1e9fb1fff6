import { listStates } from "@cardkeep/contract/core/machine";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { disputeMachine } from "@cardkeep/contract/spending/disputes";
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import { chainTargetOf, sumReturnedByHand, sumReturningByHand } from "@cardkeep/domain/spending/payments/debtAmounts";
import {
  formatCents,
  formatMinor,
  formatToken,
  formatTokenShort,
} from "@cardkeep/domain/spending/payments/formatMoney";
import {
  getPaymentDetails,
  listAllPayments,
  type PaymentDetails,
} from "@cardkeep/domain/spending/payments/listAllPayments";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, money, status, text, type Value } from "../value.ts";
import { type PaymentRow, paymentActs, rowOfPayment } from "./paymentActs.ts";
import { pageOfPayment } from "./paymentTables.ts";

const nameDecline = ({ status: state, declineReason }: PaymentRow): string | null =>
  state === "DECLINED" ? declineReason : null;

const describePlace = ({ merchantCity, merchantCountry }: PaymentDetails["payment"]): string | null =>
  [merchantCity, merchantCountry].filter(Boolean).join(", ") || null;

/** Amounts that most payments have none of. */
const listRare = (amounts: readonly (readonly [string, bigint])[], format: (value: bigint) => Value) =>
  amounts.flatMap(([name, value]) => (value === 0n ? [] : [[name, format(value)] as const]));

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
    rowOf: rowOfPayment,
    page: pageOfPayment,
    fields: (shown) => {
      const {
        payment,
        card,
        safe,
        decline,
        dispute,
        standIn,
        sums,
        doubles,
        returnedDoubles,
        transfers,
        refundRequest,
      } = shown;
      const units = (value: bigint) =>
        amount(formatTokenShort(value, safe.tokenSymbol), formatToken(value, safe.tokenSymbol));
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
        ["Place", text(describePlace(payment), "stranger")],
        ["Category and kind", text(`MCC ${payment.mcc}, type ${payment.transactionType}`)],
        ["Authorized", cents(payment.authorizedCents)],
        ["At the merchant", amount(formatMinor(payment.merchantMinor, payment.merchantCurrency))],
        ["Reversed", cents(payment.reversedCents)],
        ["Captured", cents(payment.capturedCents)],
        ["Refunded", cents(payment.refundedCents)],
        ...listRare([["Captured beyond the approval", payment.excessCents]], cents),
        ...listRare(
          [
            ["Returned by hand", sumReturnedByHand(transfers)],
            ["On its way back by hand", sumReturningByHand(transfers)],
          ],
          units,
        ),
        ...(refundRequest === null
          ? []
          : ([["Refund asked for", [cents(refundRequest.amountCents), id(refundRequest.id, "cases")]]] as const)),
        ["Shall leave the Safe", units(chainTargetOf(payment, transfers))],
        ["Owed", units(payment.owed)],
        ...listRare(
          [
            ["Set off", payment.setOff],
            ["Written off", payment.writtenOff],
          ],
          units,
        ),
        ["Card", id(card.id, "cards")],
        ["Digits", text(card.lastFourDigits, "person")],
        ["User", id(payment.userId, "users")],
        ["Safe", code(safe.address)],
        ["3-D Secure", text(payment.threeDSecure ?? payment.authenticationExemption)],
        ["Wallet token", code(payment.walletTokenId)],
        ["Request", code(payment.requestId)],
        ["Decided without us", [status(standIn?.decision ?? null), text(standIn?.reason ?? null)]],
        ["Dispute", [status(dispute?.status ?? null, disputeMachine), id(dispute?.id ?? null, "disputes")]],
        ["Cleared", instant(payment.clearedAt)],
        ["Possible double of", doubles.map((other) => id(other.id, "payments"))],
        ...returnedDoubles.map(
          (other) => ["Its double was returned", [instant(other.at), id(other.payment.id, "payments")]] as const,
        ),
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
