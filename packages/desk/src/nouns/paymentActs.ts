/** What operators do about one payment. */
import type { ListedPayment } from "@cardkeep/db/queries/spending/listAllPayments";
import {
  chainTargetOf,
  computeRefundMax,
  computeWriteOffMax,
  isReturnedByHand,
  sumReturnedByHand,
} from "@cardkeep/domain/spending/payments/debtAmounts";
import { formatCents, formatToken } from "@cardkeep/domain/spending/payments/formatMoney";
import { getPaymentDetails, type PaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { type ActOf, Made } from "../defineNoun.ts";
import { disputeReasonKeys, disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { requestRefund } from "@cardkeep/domain/spending/cases/requestRefund";
import { disputable } from "@cardkeep/domain/spending/disputes/beginDispute";
import { disputePaymentFor } from "@cardkeep/domain/spending/disputes/disputePaymentFor";
import { warnOfReturned } from "@cardkeep/domain/spending/payments/doubles";
import { canRelease } from "@cardkeep/domain/spending/payments/holdEnd";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { Input } from "../noun.ts";
import { originalInput } from "./disputes.ts";
import { releaseHold } from "@cardkeep/domain/spending/payments/releaseHold";
import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";

/** What a list shows of a payment, and what one payment has too. */
export type PaymentRow = Omit<ListedPayment, "standIn"> &
  Partial<Pick<ListedPayment, "standIn">> & {
    /** What decides which acts a payment's own page offers. */
    readonly acts?: Pick<PaymentDetails, "dispute" | "transfers" | "safe" | "returnedDoubles">;
  };

/** A payment with what decides about its acts. */
export const rowOfPayment = ({
  payment,
  card,
  dispute,
  transfers,
  safe,
  returnedDoubles,
}: PaymentDetails): PaymentRow => ({
  ...payment,
  lastFourDigits: card.lastFourDigits,
  acts: { dispute, transfers, safe, returnedDoubles },
});

const readPayment = async (ctx: OperatorContext, reference: string): Promise<PaymentRow> =>
  rowOfPayment(await getPaymentDetails(ctx, { reference }));

const refundMaxOf = ({ acts, ...payment }: PaymentRow): bigint =>
  acts === undefined ? 0n : (computeRefundMax(payment, acts.transfers) ?? 0n);

const writeOffMaxOf = ({ acts, ...payment }: PaymentRow): bigint =>
  acts === undefined ? 0n : computeWriteOffMax(chainTargetOf(payment, acts.transfers), acts.transfers);

/** Whole tokens of the payment's Safe. */
const nameTokens = (units: bigint, { acts }: PaymentRow): string => formatToken(units, acts?.safe.tokenSymbol ?? null);

/** What came back of a payment already, for the form of its dispute; empty for nothing. */
function describeReturned(row: PaymentRow): string {
  const { acts, refundedCents, billingCurrency } = row;
  const byHand = acts === undefined ? 0n : sumReturnedByHand(acts.transfers);
  const returned = [
    ...(byHand > 0n ? [`${nameTokens(byHand, row)} of it was returned by hand`] : []),
    ...(refundedCents > 0n
      ? [`${formatCents(refundedCents, billingCurrency)} of it was refunded by the merchant`]
      : []),
  ];
  return returned.length === 0 ? "" : `${returned.join(", and ")}: dispute no more than the rest. `;
}

/** What finance and support are to know before they return money; empty for nothing. */
const warnOf = ({ acts }: PaymentRow): string => {
  const warning = warnOfReturned(acts?.returnedDoubles ?? []);
  return warning === "" ? "" : `${warning} `;
};

const whole = {
  label: "Amount, such as 12.50",
  brief: "Amount in whole tokens, such as 12.50",
  placeholder: "amount",
  isArgument: true,
  isRequired: true,
} as const satisfies Input;

export const paymentActs: Readonly<Record<string, ActOf<PaymentRow>>> = {
  refund: {
    verb: "payments.refund",
    brief: "Returns money of a payment from the settlement account to its Safe, at your cost; give --reason",
    details:
      "Never more goes back than has left the Safe and was not returned, and nothing while the user owes. A later refund by\n" +
      "the issuer is paid too, up to what is left.",
    example: "payments refund iauth_1a2b3c4d 12.50 --reason goodwill",
    inputs: { amount: whole },
    offer: (row) =>
      refundMaxOf(row) === 0n
        ? null
        : {
            label: "Refund by hand",
            consequence:
              `${warnOf(row)}The worker returns the amount from the settlement account to the Safe, at your cost: ${nameTokens(refundMaxOf(row), row)} at most. ` +
              "A later refund by the issuer is paid too, up to what is left. It cannot be undone.",
            isDanger: true,
          },
    run: async (ctx, key, given) => {
      await refundPayment(ctx, { reference: key, amount: given["amount"] ?? "" });
      return readPayment(ctx, key);
    },
  },
  "request-refund": {
    verb: "payments.request-refund",
    brief: "Asks finance to return money of a payment, by a case; give --reason",
    example: "payments request-refund iauth_1a2b3c4d 12.50 --reason parcel-never-came",
    inputs: { amount: whole },
    offer: (row) =>
      refundMaxOf(row) > 0n && disputable.includes(row.status)
        ? {
            label: "Ask finance for a refund",
            consequence: `${warnOf(row)}It opens a case for finance, with ${nameTokens(refundMaxOf(row), row)} at most. No money moves by this.`,
          }
        : null,
    run: async (ctx, key, given) => {
      const { id } = await requestRefund(ctx, { reference: key, amount: given["amount"] ?? "" });
      return new Made(await readPayment(ctx, key), { noun: "cases", key: id });
    },
  },
  dispute: {
    verb: "payments.dispute",
    brief: "Opens a dispute of a payment for its holder, in the holder's words; give --reason",
    details:
      "It has the same effects as the holder's own: a report of fraud closes the card for good, and its money may be back at\n" +
      "once. The holder gets a mail. The words become evidence, and the action log has none of them.",
    example: "payments dispute iauth_1a2b3c4d charged_more_than_once --explanation paid-once --reason phone-call-4711",
    inputs: {
      disputeReason: {
        label: "Reason of the dispute",
        brief: "Why the holder disputes it",
        placeholder: "disputeReason",
        values: disputeReasonKeys,
        meanings: disputeReasons,
        isArgument: true,
      },
      explanation: {
        label: "What happened, in the holder's words",
        brief: "What happened, in the holder's words",
        placeholder: "WORDS",
        isLong: true,
        isRequired: true,
      },
      original: {
        ...originalInput,
        brief: "The other payment of a double charge, by its id or thread, where there are several",
      },
    },
    offer: (row) =>
      row.acts?.dispute === null && disputable.includes(row.status) && !isReturnedByHand(row, row.acts.transfers)
        ? {
            label: "Open a dispute for the holder",
            consequence:
              `${warnOf(row)}${describeReturned(row)}It goes to the issuer, as if the holder had asked for it, and the holder gets a mail. A payment is disputed once: a withdrawn dispute cannot be opened again. ` +
              "A report of fraud closes the card for good. The holder's words become evidence; the log of actions has none of them.",
            isDanger: true,
          }
        : null,
    run: async (ctx, key, { disputeReason = "", explanation = "", original = "" }) => {
      const { id } = await disputePaymentFor(ctx, { reference: key, disputeReason, explanation, original });
      return new Made(await readPayment(ctx, key), { noun: "disputes", key: id });
    },
  },
  release: {
    verb: "holds.release",
    brief: "Ends the hold of a payment before the issuer does; give --reason",
    details: "The worker returns the held amount to the Safe. A later capture is collected all the same.",
    example: "holds release iauth_1a2b3c4d --reason paid-in-cash",
    offer: (row) =>
      canRelease(row, row.acts?.safe.tokenSymbol ?? null)
        ? {
            label: "Release the hold",
            consequence:
              "The worker returns the held amount to the Safe. The merchant may still capture it, and it is collected then.",
            isDanger: true,
          }
        : null,
    run: async (ctx, key) => {
      await releaseHold(ctx, { reference: key });
      return readPayment(ctx, key);
    },
  },
  "write-off": {
    verb: "debts.write-off",
    brief: "Gives up a debt of a payment, at your cost; give --reason",
    details:
      "The worker collects it no more, and the user's cards work again once nothing else is owed. A later refund reduces\n" +
      "your loss first. `users list --owing` shows who owes.",
    example: "debts write-off iauth_1a2b3c4d 12.50 --reason token-is-gone",
    inputs: { amount: whole },
    offer: (row) =>
      writeOffMaxOf(row) === 0n
        ? null
        : {
            label: "Write off the debt",
            consequence:
              `The worker collects the amount no more, at your cost: ${nameTokens(writeOffMaxOf(row), row)} at most. The user's cards work again once ` +
              "nothing is owed. A later refund by the issuer reduces your loss first. It cannot be undone.",
            isDanger: true,
          },
    run: async (ctx, key, given) => {
      await writeOffDebt(ctx, { reference: key, amount: given["amount"] ?? "" });
      return readPayment(ctx, key);
    },
  },
};
