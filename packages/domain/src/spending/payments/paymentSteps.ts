/** A payment's line, from its authorization to its settlement, in words for operators. */
import type { StandIn } from "@cardkeep/db/queries/spending/standIns";
import type { CardClearing } from "@cardkeep/db/queries/spending/payments";
import { listDecisionSteps, type PaymentStep } from "./decisionSteps.ts";
import { formatCents, formatMinor, formatToken, formatTokenShort } from "./formatMoney.ts";
import type { PaymentDetails, RelayedTransfer } from "./listAllPayments.ts";

/** Every step, oldest first; steps of one instant in the order of cause and effect. */
export function listPaymentSteps(details: PaymentDetails): PaymentStep[] {
  const { clearings, transfers, dispute, standIn, payment } = details;
  const steps = [
    ...listDecisionSteps(details),
    ...clearings.map((clearing) => describeClearing(details, clearing)),
    ...transfers.flatMap((transfer) => listTransferSteps(details, transfer)),
    ...(standIn ? [describeStandIn(standIn, payment)] : []),
    ...(dispute
      ? [{ at: dispute.createdAt, word: "disputed", facts: [dispute.reason, `it is ${dispute.status}`] }]
      : []),
  ];
  return steps.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

const describeStandIn = (
  { decision, approvedCents, reason, decidedAt }: StandIn,
  { billingCurrency }: PaymentDetails["payment"],
): PaymentStep => ({
  at: decidedAt,
  word: "stand-in",
  facts: [
    decision === "APPROVED"
      ? `the issuer approved ${formatCents(approvedCents, billingCurrency)} without us: ${reason}`
      : `the issuer declined without us: ${reason}`,
  ],
});

const clearingWords: Readonly<Record<CardClearing["kind"], string>> = {
  capture: "captured",
  refund: "refunded",
  reversal: "reversed",
  capture_reversal: "capture taken back",
  refund_reversal: "refund taken back",
};

const describeClearing = (
  { payment }: PaymentDetails,
  { kind, amountCents, merchantMinor, createdAt, networkReference, processedOn }: CardClearing,
): PaymentStep => ({
  at: createdAt,
  word: clearingWords[kind],
  amount: formatCents(amountCents, payment.billingCurrency),
  facts: [
    formatCents(amountCents, payment.billingCurrency),
    ...(payment.merchantCurrency === payment.billingCurrency
      ? []
      : [`the merchant's ${formatMinor(merchantMinor, payment.merchantCurrency)}`]),
    ...(processedOn === null ? [] : [`processed by the network on ${processedOn}`]),
    ...(networkReference === null ? [] : [`network reference ${networkReference}`]),
  ],
});

const wayOf = ({ direction, isCollection, isByHand }: RelayedTransfer): string => {
  if (direction === "return") return isByHand ? "back to the Safe, by hand" : "back to the Safe";
  return isCollection ? "to the settlement account, for a debt" : "to the settlement account";
};

function listTransferSteps(details: PaymentDetails, transfer: RelayedTransfer): PaymentStep[] {
  const amount = formatTokenShort(transfer.amount, details.safe.tokenSymbol);
  return describeTransfer(details, transfer).map((step) => ({ ...step, amount, transfer: transfer.ordinal }));
}

function describeTransfer({ safe }: PaymentDetails, transfer: RelayedTransfer): PaymentStep[] {
  const { ordinal, amount, direction, status, reason, hash, relayed, createdAt, updatedAt } = transfer;
  const name = `transfer ${ordinal}`;
  const planned = {
    at: createdAt,
    word: direction === "spend" ? "held" : "return planned",
    facts: [`${name}: ${formatToken(amount, safe.tokenSymbol)} ${wayOf(transfer)}`],
  };
  const sent = relayed.flatMap(({ transaction }) => {
    const { nonce, relayer, blockNumber, minedAt, minedHash } = transaction;
    const signed = { at: transaction.createdAt, word: "signed", facts: [`${name}: nonce ${nonce} of ${relayer}`] };
    if (minedAt === null || minedHash === null) return [signed];
    // Block times are whole seconds, and may lie before the signature.
    const minedAfter = minedAt < transaction.createdAt ? transaction.createdAt : minedAt;
    const mined = { at: minedAfter, word: "mined", facts: [`${name}: block ${blockNumber ?? "?"}`, minedHash] };
    return [signed, mined];
  });
  const ends: Partial<Record<RelayedTransfer["status"], PaymentStep>> = {
    DONE: { at: updatedAt, word: "settled", facts: [`${name} is on chain`, ...(hash ? [hash] : [])] },
    FAILED: { at: updatedAt, word: "transfer failed", facts: [`${name}: ${reason ?? "no reason"}`] },
  };
  const end = ends[status];
  return [planned, ...sent, ...(end ? [end] : [])];
}
