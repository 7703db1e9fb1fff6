/** What an operator may do with one card payment: for its holder, refund by hand, write off its debt, release its hold. */
import { disputeReasonKeys, disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { requestRefund } from "@cardkeep/domain/spending/cases/requestRefund";
import { disputable } from "@cardkeep/domain/spending/disputes/beginDispute";
import { disputePaymentFor, wordsLengthMax } from "@cardkeep/domain/spending/disputes/disputePaymentFor";
import { formatToken } from "@cardkeep/domain/spending/payments/formatMoney";
import type { PaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { chainTargetOf, computeRefundMax, computeWriteOffMax } from "@cardkeep/domain/spending/payments/debtAmounts";
import { releaseHold } from "@cardkeep/domain/spending/payments/releaseHold";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type Visit } from "../page/page.ts";

/** A refund by hand, for payments that have moved money. */
function renderRefund(visit: Visit, { payment, transfers, safe }: PaymentDetails): Html | false {
  const most = computeRefundMax(payment, transfers) ?? 0n;
  if (most === 0n || !may(visit, "payments.refund")) return false;
  const shown = formatToken(most, safe.tokenSymbol);
  return renderConfirm({
    action: `/operator/payments/${payment.id}/refund`,
    label: "Refund by hand",
    consequence:
      `The worker returns the amount from the settlement account to the Safe, at your cost: ${shown} at most. ` +
      "A later refund by the issuer is paid too, up to what is left. It cannot be undone.",
    fields: markup`<label>Amount in whole tokens <input name="amount" inputmode="decimal" required autocomplete="off" /></label>`,
    isDanger: true,
  });
}

/** For a payment that owes what no collection under way brings. */
function renderWriteOff(visit: Visit, { payment, transfers, safe }: PaymentDetails): Html | false {
  const most = computeWriteOffMax(chainTargetOf(payment, transfers), transfers);
  if (most === 0n || !may(visit, "debts.write-off")) return false;
  const shown = formatToken(most, safe.tokenSymbol);
  return renderConfirm({
    action: `/operator/payments/${payment.id}/write-off`,
    label: "Write off the debt",
    consequence:
      `The worker collects the amount no more, at your cost: ${shown} at most. The user's cards work again once nothing is owed. ` +
      "A later refund by the issuer reduces your loss first. It cannot be undone.",
    fields: markup`<label>Amount in whole tokens <input name="amount" inputmode="decimal" required autocomplete="off" /></label>`,
    isDanger: true,
  });
}

/** For a payment that holds money and was never captured. */
const renderRelease = (visit: Visit, { payment }: PaymentDetails): Html | false =>
  payment.status === "AUTHORIZED" &&
  payment.capturedCents === 0n &&
  payment.holdEndedAt === null &&
  may(visit, "holds.release") &&
  renderConfirm({
    action: `/operator/payments/${payment.id}/release`,
    label: "Release the hold",
    consequence:
      "The worker returns the held amount to the Safe. The merchant may still capture it, and it is collected then.",
    isDanger: true,
  });

/** What support does for the holder of a payment that may be disputed. */
const renderForHolder = (visit: Visit, { payment, dispute, transfers, safe }: PaymentDetails): Html | false =>
  disputable.includes(payment.status) &&
  markup`${dispute === null && may(visit, "payments.dispute") && renderDispute(payment.id)}
    ${may(visit, "payments.request-refund") && renderRequest(payment.id, formatToken(computeRefundMax(payment, transfers) ?? 0n, safe.tokenSymbol))}`;

const renderDispute = (id: string): Html =>
  renderConfirm({
    action: `/operator/payments/${id}/dispute`,
    label: "Open a dispute for the holder",
    consequence:
      "It goes to the issuer, as if the holder had asked for it, and the holder gets a mail. A report of fraud closes the card " +
      "for good. The holder's words become evidence; the log of actions has none of them.",
    fields: markup`<label>Reason of the dispute
        <select name="disputeReason" required>
          ${disputeReasonKeys.map((key) => markup`<option value="${key}">${disputeReasons[key]}</option>`)}
        </select></label>
      <label>What happened, in the holder's words
        <textarea name="explanation" rows="3" maxlength="${wordsLengthMax}" required></textarea></label>`,
    isDanger: true,
  });

const renderRequest = (id: string, most: string): Html =>
  renderConfirm({
    action: `/operator/payments/${id}/request-refund`,
    label: "Ask finance for a refund",
    consequence: `It opens a case for finance, with ${most} at most. No money moves by this.`,
    fields: markup`<label>Amount in the card's currency <input name="amount" inputmode="decimal" required autocomplete="off" /></label>`,
  });

export const disputeFor: Action = async ({ ctx, params, form }) => {
  const reference = params["id"] ?? "";
  const { id } = await disputePaymentFor(ctx, {
    reference,
    disputeReason: form.get("disputeReason") ?? "",
    explanation: form.get("explanation") ?? "",
  });
  return linkTo(`/operator/disputes/${id}`, { done: "done" });
};

export const askRefund: Action = async ({ ctx, params, form }) => {
  const reference = params["id"] ?? "";
  const { id } = await requestRefund(ctx, { reference, amount: (form.get("amount") ?? "").trim() });
  return linkTo(`/operator/cases/${id}`, { done: "done" });
};

export const release: Action = async ({ ctx, params }) => {
  const reference = params["id"] ?? "";
  await releaseHold(ctx, { reference });
  return linkTo(`/operator/payments/${encodeURIComponent(reference)}`, { done: "done" });
};

export const writeOff: Action = async ({ ctx, params, form }) => {
  const reference = params["id"] ?? "";
  await writeOffDebt(ctx, { reference, amount: (form.get("amount") ?? "").trim() });
  return linkTo(`/operator/payments/${encodeURIComponent(reference)}`, { done: "done" });
};

export const refund: Action = async ({ ctx, params, form }) => {
  const reference = params["id"] ?? "";
  await refundPayment(ctx, { reference, amount: (form.get("amount") ?? "").trim() });
  return linkTo(`/operator/payments/${encodeURIComponent(reference)}`, { done: "done" });
};

/** The forms of what may be done with the payment now. */
export const renderPaymentActions = (visit: Visit, details: PaymentDetails): Html =>
  markup`${renderForHolder(visit, details)} ${renderRefund(visit, details)} ${renderWriteOff(visit, details)} ${renderRelease(visit, details)}`;
