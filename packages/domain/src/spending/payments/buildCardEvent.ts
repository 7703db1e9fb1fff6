/** The card history of the API. */
import { tokenOf } from "@cardkeep/chain/tokens";
import { isCurrency } from "@cardkeep/contract/core/currencies";
import type { CardEvent, ChainTransactionStatus, PaymentResult } from "@cardkeep/contract/spending/cardEvents";
import type { TransferStatus } from "@cardkeep/contract/spending/spending";
import type { CardClearing, CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import { baseUnitsToCents } from "../../core/money.ts";
import type { Policy } from "../../core/policy.ts";
import { creditedOf } from "./debtAmounts.ts";
import { describeCountry, describeCurrency } from "./isoCodes.ts";

const chainStatuses: Readonly<Record<TransferStatus, ChainTransactionStatus>> = {
  PLANNED: "Unsubmitted",
  SIGNED: "Unconfirmed",
  DONE: "ExecSuccess",
  FAILED: "ExecReverted",
};

const returnType = "20";

function resultOf({ status, declineResult, reversedCents }: CardPayment): PaymentResult {
  if (status === "DECLINED") return declineResult ?? "Other";
  if (status === "REVERSED" || status === "EXPIRED") return "Reversal";
  return reversedCents > 0n ? "PartialReversal" : "Approved";
}

/** What a dispute returned of a payment, where it returned anything. */
function readCredited({ billingCurrency, ...payment }: CardPayment): { creditedAmount?: bigint } {
  const credited = creditedOf(payment);
  if (credited === 0n || !isCurrency(billingCurrency)) return {};
  return { creditedAmount: baseUnitsToCents(credited, tokenOf[billingCurrency]) };
}

/** Whether a clearing is the issuer's own, with its date: all but a reversed authorization. */
const isPosted = (clearing: CardClearing | null): clearing is CardClearing =>
  clearing !== null && clearing.kind !== "reversal";

/** The merchant's amount for a part of the card's, at the authorization's own rate. */
export const toMerchantMinor = (cents: bigint, of: Pick<CardPayment, "authorizedCents" | "merchantMinor">): bigint =>
  of.authorizedCents === 0n ? cents : (cents * of.merchantMinor) / of.authorizedCents;

/**
 * A payment, or with `clearing` that capture, refund or reversal of it; `transfers` are all of its thread. A capture has its own
 * amount and time. A refund that the merchant takes back is a payment again, and a capture that is taken back a reversal.
 */
export function buildCardEvent(
  { cashback }: Pick<Policy, "cashback">,
  payment: CardPayment & { cardToken: string },
  transfers: readonly CardTransfer[],
  clearing: CardClearing | null,
): CardEvent {
  const country = describeCountry(payment.merchantCountry);
  const isPayment = clearing === null || clearing.kind === "capture";
  // From the first capture on, the captured amount counts; several captures add up.
  const cents = payment.capturedCents > 0n ? payment.capturedCents : payment.authorizedCents;
  const currency = describeCurrency(payment.billingCurrency);
  const clearedAt = isPosted(clearing) ? clearing.postedAt : payment.clearedAt;
  const shared = {
    threadId: payment.threadId,
    createdAt: isPayment ? payment.createdAt : clearing.createdAt,
    clearedAt,
    country,
    isPending: clearing === null && payment.status === "AUTHORIZED",
    // Apps read null of a cleared payment as "not settled yet".
    impactsCashback: cashback === null && isPayment && clearedAt !== null ? false : null,
    mcc: payment.mcc,
    merchant: { name: payment.merchantName ?? "", city: payment.merchantCity ?? "", country },
    billingAmount: clearing?.amountCents ?? cents,
    billingCurrency: currency,
    // The rate of a capture may differ from the authorization's.
    transactionAmount:
      clearing?.merchantMinor ?? (payment.capturedCents > 0n ? payment.capturedMinor : toMerchantMinor(cents, payment)),
    transactionCurrency: describeCurrency(payment.merchantCurrency),
    transactionType: clearing?.kind === "refund" ? returnType : payment.transactionType,
    cardToken: payment.cardToken,
    transactions: transfers
      .filter(({ clearingId }) => clearingId === (isPayment ? null : clearing.id))
      .map(({ status, to, data, hash }) => ({ status: chainStatuses[status], to, value: "0", data, hash })),
  };
  if (isPayment) return { ...shared, kind: "Payment", status: resultOf(payment), ...readCredited(payment) };
  if (clearing.kind === "refund_reversal") return { ...shared, kind: "Payment", status: "Approved" };
  const paid = transfers.find(({ direction, status }) => direction === "spend" && status === "DONE");
  const original = { threadId: payment.threadId, hash: paid?.hash ?? null };
  return clearing.kind === "refund"
    ? { ...shared, kind: "Refund", refundAmount: clearing.amountCents, refundCurrency: currency, original }
    : { ...shared, kind: "Reversal", reversalAmount: clearing.amountCents, reversalCurrency: currency, original };
}
